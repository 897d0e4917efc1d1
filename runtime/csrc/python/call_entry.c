/* Calls of compiled functions on bare pointers, without a program. */
#include "python/native.h"

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

PyObject *call_entry(PyObject *module, PyObject *arguments, PyObject *keywords) {
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
