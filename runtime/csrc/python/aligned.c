/* AlignedMemory: the memory of arrays that a call creates. */
#include "memory/kept_blocks.h"
#include "python/native.h"

PyObject *aligned_of(void *memory, Py_ssize_t size) {
  AlignedObject *self = PyObject_New(AlignedObject, aligned_type);
  if (!self)
    return NULL;
  self->size = size;
  self->data = memory;
  return (PyObject *)self;
}

PyObject *aligned_new(Py_ssize_t size, size_t alignment) {
  void *memory = alignment <= MLC_KEPT_ALIGNMENT ? mlc_kept_take((size_t)size) : NULL;
  if (!memory && posix_memalign(&memory, alignment, size ? (size_t)size : 1) != 0)
    return PyErr_Format(PyExc_MemoryError, "no memory for %zd bytes", size);
  PyObject *self = aligned_of(memory, size);
  if (!self)
    free(memory);
  return self;
}

static void aligned_dealloc(AlignedObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  mlc_kept_release(self->data, (size_t)self->size);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int aligned_get_buffer(PyObject *object, Py_buffer *view, int flags) {
  AlignedObject *self = (AlignedObject *)object;
  return PyBuffer_FillInfo(view, object, self->data, self->size, 0, flags);
}

static PyType_Slot aligned_slots[] = {
    {Py_tp_dealloc, aligned_dealloc},
    {Py_bf_getbuffer, aligned_get_buffer},
    {0, NULL},
};

PyType_Spec aligned_spec = {"mlc.runtime._native.AlignedMemory", sizeof(AlignedObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, aligned_slots};

PyObject *aligned_empty(PyObject *module, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"nbytes", "alignment", NULL};
  Py_ssize_t size, alignment = 64;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "n|n", names, &size, &alignment))
    return NULL;
  if (size < 0 || alignment < (Py_ssize_t)sizeof(void *) || (alignment & (alignment - 1)) != 0)
    return PyErr_Format(PyExc_ValueError, "cannot allocate %zd bytes aligned to %zd", size, alignment);
  return aligned_new(size, (size_t)alignment);
}
