/* The extension module mlc.runtime._native. */
#include "native.h"

#include <string.h>

PyTypeObject *image_type, *aligned_type, *program_type, *size_entry_type;

/* ---- aligned memory ------------------------------------------------------------------------- */

PyObject *aligned_of(void *memory, Py_ssize_t size) {
  AlignedObject *self = PyObject_New(AlignedObject, aligned_type);
  if (!self)
    return NULL;
  self->size = size;
  self->data = memory;
  return (PyObject *)self;
}

PyObject *aligned_new(Py_ssize_t size, size_t alignment) {
  void *memory;
  if (posix_memalign(&memory, alignment, size ? (size_t)size : 1) != 0)
    return PyErr_Format(PyExc_MemoryError, "no memory for %zd bytes", size);
  PyObject *self = aligned_of(memory, size);
  if (!self)
    free(memory);
  return self;
}

static void aligned_dealloc(AlignedObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  free(self->data);
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

static PyType_Spec aligned_spec = {"mlc.runtime._native.AlignedMemory", sizeof(AlignedObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, aligned_slots};

static PyObject *aligned_empty(PyObject *module, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"nbytes", "alignment", NULL};
  Py_ssize_t size, alignment = 64;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "n|n", names, &size, &alignment))
    return NULL;
  if (size < 0 || alignment < (Py_ssize_t)sizeof(void *) || (alignment & (alignment - 1)) != 0)
    return PyErr_Format(PyExc_ValueError, "cannot allocate %zd bytes aligned to %zd", size, alignment);
  return aligned_new(size, (size_t)alignment);
}

/* ---- images --------------------------------------------------------------------------------- */

/* Handles of dlopen, from a tuple of integers. To be freed; NULL with an exception. */
static void **get_handles(PyObject *libraries) {
  const Py_ssize_t count = PyTuple_GET_SIZE(libraries);
  void **handles = PyMem_Calloc((size_t)count + 1, sizeof *handles);
  if (!handles)
    return (void **)PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++)
    handles[i] = PyLong_AsVoidPtr(PyTuple_GET_ITEM(libraries, i));
  if (!PyErr_Occurred())
    return handles;
  PyMem_Free(handles);
  return NULL;
}

static mlc_image *load_views(const Py_buffer *views, Py_ssize_t count, PyObject *libraries) {
  char error[512] = "";
  mlc_image *image = NULL;
  const void **objects = PyMem_Calloc((size_t)count + 1, sizeof *objects);
  size_t *sizes = PyMem_Calloc((size_t)count + 1, sizeof *sizes);
  void **handles = get_handles(libraries);
  if (objects && sizes && handles) {
    for (Py_ssize_t i = 0; i < count; i++) {
      objects[i] = views[i].buf;
      sizes[i] = (size_t)views[i].len;
    }
    image = mlc_image_load(objects, sizes, (size_t)count, handles, (size_t)PyTuple_GET_SIZE(libraries), error,
                           sizeof error);
  }
  PyMem_Free(objects);
  PyMem_Free(sizes);
  PyMem_Free(handles);
  if (!image && !PyErr_Occurred()) {
    PyObject *message = PyUnicode_DecodeUTF8(error, (Py_ssize_t)strlen(error), "replace");
    if (message)
      PyErr_SetObject(PyExc_ValueError, message);
    Py_XDECREF(message);
  }
  return image;
}

static mlc_image *load_sequence(PyObject *objects, PyObject *libraries) {
  PyObject *list = PySequence_Fast(objects, "objects must be a sequence of buffers");
  if (!list)
    return NULL;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  Py_ssize_t held = 0;
  mlc_image *image = NULL;
  Py_buffer *views = PyMem_Calloc((size_t)count + 1, sizeof *views);
  if (!views)
    PyErr_NoMemory();
  while (views && held < count &&
         PyObject_GetBuffer(PySequence_Fast_GET_ITEM(list, held), &views[held], PyBUF_SIMPLE) == 0)
    held++;
  if (views && held == count)
    image = load_views(views, count, libraries);
  while (held > 0)
    PyBuffer_Release(&views[--held]);
  PyMem_Free(views);
  Py_DECREF(list);
  return image;
}

static PyObject *image_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"objects", "libraries", NULL};
  PyObject *objects, *given = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O!", names, &objects, &PyTuple_Type, &given))
    return NULL;
  PyObject *libraries = given ? Py_NewRef(given) : PyTuple_New(0);
  mlc_image *image = libraries ? load_sequence(objects, libraries) : NULL;
  Py_XDECREF(libraries);
  if (!image)
    return NULL;
  ImageObject *self = (ImageObject *)type->tp_alloc(type, 0);
  if (!self)
    mlc_image_free(image);
  else
    self->image = image;
  return (PyObject *)self;
}

static void image_dealloc(ImageObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  mlc_image_free(self->image);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *image_symbol(ImageObject *self, PyObject *argument) {
  const char *name = PyUnicode_AsUTF8(argument);
  if (!name)
    return NULL;
  void *address = mlc_image_symbol(self->image, name);
  if (!address)
    return PyErr_Format(PyExc_KeyError, "the code defines no symbol '%s'", name);
  return PyLong_FromVoidPtr(address);
}

static PyMethodDef image_methods[] = {
    {"symbol", (PyCFunction)image_symbol, METH_O, "symbol(name) -> address"},
    {0},
};

static PyType_Slot image_slots[] = {
    {Py_tp_new, image_new}, {Py_tp_dealloc, image_dealloc}, {Py_tp_methods, image_methods}, {0, NULL}};

static PyType_Spec image_spec = {"mlc.runtime._native.Image", sizeof(ImageObject), 0, Py_TPFLAGS_DEFAULT,
                                 image_slots};

/* ---- raw calls ------------------------------------------------------------------------------ */

/* Writes the address of a buffer object, an integer address or None to `pointer`. A buffer object fills
 * `view`, which the caller releases (view->obj is NULL otherwise). */
static int get_pointer(PyObject *value, Py_buffer *view, void **pointer) {
  *pointer = NULL;
  if (value == Py_None)
    return 0;
  if (PyLong_Check(value)) {
    *pointer = PyLong_AsVoidPtr(value);
    return PyErr_Occurred() ? -1 : 0;
  }
  if (PyObject_GetBuffer(value, view, PyBUF_C_CONTIGUOUS) != 0)
    return -1;
  *pointer = view->buf;
  return 0;
}

static int read_dims(PyObject *list, int64_t *dims) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); i++) {
    dims[i] = PyLong_AsLongLong(PySequence_Fast_GET_ITEM(list, i));
    if (PyErr_Occurred())
      return -1;
  }
  return 0;
}

static int call_pointers(mlc_entry *entry, PyObject *buffers, PyObject *dims, int threads) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(buffers);
  const size_t rank = (size_t)PySequence_Fast_GET_SIZE(dims);
  void **pointers = PyMem_Calloc((size_t)count + 1, sizeof *pointers);
  Py_buffer *views = PyMem_Calloc((size_t)count + 1, sizeof *views);
  int64_t *sizes = PyMem_Calloc(rank + 1, sizeof *sizes);
  int result = -1;
  Py_ssize_t held = 0;
  if (!pointers || !views || !sizes)
    PyErr_NoMemory();
  else if (read_dims(dims, sizes) == 0)
    while (held < count &&
           get_pointer(PySequence_Fast_GET_ITEM(buffers, held), &views[held], &pointers[held]) == 0)
      held++;
  if (!PyErr_Occurred()) {
    Py_BEGIN_ALLOW_THREADS
    mlc_set_threads(threads);
    entry(pointers, sizes);
    Py_END_ALLOW_THREADS
    result = 0;
  }
  while (held > 0)
    PyBuffer_Release(&views[--held]);
  PyMem_Free(pointers);
  PyMem_Free(views);
  PyMem_Free(sizes);
  return result;
}

static PyObject *call_entry(PyObject *module, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"image", "symbol", "buffers", "dims", "threads", NULL};
  PyObject *image, *buffers, *dims = NULL;
  const char *symbol;
  int threads = 1;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!sO|Oi", names, image_type, &image, &symbol, &buffers,
                                   &dims, &threads))
    return NULL;
  void *entry = mlc_image_symbol(((ImageObject *)image)->image, symbol);
  if (!entry)
    return PyErr_Format(PyExc_KeyError, "the code defines no symbol '%s'", symbol);
  PyObject *buffer_list = PySequence_Fast(buffers, "buffers must be a sequence");
  PyObject *dim_list = dims ? PySequence_Fast(dims, "dims must be a sequence") : PyTuple_New(0);
  int result = -1;
  if (buffer_list && dim_list)
    result = call_pointers((mlc_entry *)entry, buffer_list, dim_list, threads);
  Py_XDECREF(buffer_list);
  Py_XDECREF(dim_list);
  if (result != 0)
    return NULL;
  Py_RETURN_NONE;
}

/* ---- the module ----------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"aligned_empty", (PyCFunction)(void (*)(void))aligned_empty, METH_VARARGS | METH_KEYWORDS,
     "aligned_empty(nbytes, alignment=64) -> uninitialised memory with the buffer protocol"},
    {"call_entry", (PyCFunction)(void (*)(void))call_entry, METH_VARARGS | METH_KEYWORDS,
     "call_entry(image, symbol, buffers, dims=(), threads=1): void symbol(void **buffers, int64_t *dims)"},
    {0},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, functions, 0, 0, 0, 0};

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
  PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(spec);
  if (type && PyModule_AddType(module, type) != 0)
    Py_CLEAR(type);
  return type;
}

PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return NULL;
  if (!(aligned_type = add_type(module, &aligned_spec)) || !(image_type = add_type(module, &image_spec)) ||
      !(program_type = add_type(module, &program_spec)) ||
      !(size_entry_type = add_type(module, &size_entry_spec)) || objects_type_add(module) != 0)
    Py_CLEAR(module);
  return module;
}
