/* Image: linked objects. */
#include "python/native.h"

#include <string.h>

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

/* The names of measured kernels, valid as long as the tuple; their numbers of dims go to `dim_counts`. To be freed;
 * NULL with an exception. */
static const char **get_measured(PyObject *measured, size_t *dim_counts) {
  const Py_ssize_t count = PyTuple_GET_SIZE(measured);
  const char **names = PyMem_Calloc((size_t)count + 1, sizeof *names);
  if (!names)
    return (const char **)PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *kernel = PyTuple_GET_ITEM(measured, i);
    Py_ssize_t dims = 0;
    if (!PyTuple_Check(kernel))
      PyErr_SetString(PyExc_TypeError, "a measured kernel is described by a tuple");
    else if (PyArg_ParseTuple(kernel, "sn", &names[i], &dims) && dims < 0)
      PyErr_SetString(PyExc_ValueError, "a negative number of dims");
    if (PyErr_Occurred()) {
      PyMem_Free(names);
      return NULL;
    }
    dim_counts[i] = (size_t)dims;
  }
  return names;
}

static mlc_image *load_views(const Py_buffer *views, Py_ssize_t count, PyObject *libraries, PyObject *measured,
                             size_t *dim_counts) {
  char error[512] = "";
  mlc_image *image = NULL;
  const void **objects = PyMem_Calloc((size_t)count + 1, sizeof *objects);
  size_t *sizes = PyMem_Calloc((size_t)count + 1, sizeof *sizes);
  void **handles = get_handles(libraries);
  const char **names = get_measured(measured, dim_counts);
  if (objects && sizes && handles && names) {
    for (Py_ssize_t i = 0; i < count; i++) {
      objects[i] = views[i].buf;
      sizes[i] = (size_t)views[i].len;
    }
    const mlc_image_parts parts = {objects, sizes, (size_t)count, handles, (size_t)PyTuple_GET_SIZE(libraries),
                                   names, (size_t)PyTuple_GET_SIZE(measured)};
    image = mlc_image_load(&parts, error, sizeof error);
  }
  PyMem_Free(objects);
  PyMem_Free(sizes);
  PyMem_Free(handles);
  PyMem_Free(names);
  if (!image && !PyErr_Occurred()) {
    PyObject *message = PyUnicode_DecodeUTF8(error, (Py_ssize_t)strlen(error), "replace");
    if (message)
      PyErr_SetObject(PyExc_ValueError, message);
    Py_XDECREF(message);
  }
  return image;
}

static mlc_image *load_sequence(PyObject *objects, PyObject *libraries, PyObject *measured, size_t *dim_counts) {
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
    image = load_views(views, count, libraries, measured, dim_counts);
  while (held > 0)
    PyBuffer_Release(&views[--held]);
  PyMem_Free(views);
  Py_DECREF(list);
  return image;
}

static PyObject *image_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"objects", "libraries", "measured", NULL};
  PyObject *objects, *libraries = NULL, *measured = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O!O!", names, &objects, &PyTuple_Type, &libraries,
                                   &PyTuple_Type, &measured))
    return NULL;
  ImageObject *self = (ImageObject *)type->tp_alloc(type, 0);
  PyObject *none = self ? PyTuple_New(0) : NULL;
  if (none) {
    self->measured = Py_NewRef(measured ? measured : none);
    self->dim_counts = PyMem_Calloc((size_t)PyTuple_GET_SIZE(self->measured) + 1, sizeof *self->dim_counts);
    if (!self->dim_counts)
      PyErr_NoMemory();
    else
      self->image = load_sequence(objects, libraries ? libraries : none, self->measured, self->dim_counts);
  }
  Py_XDECREF(none);
  if (self && !self->image)
    Py_CLEAR(self);
  return (PyObject *)self;
}

static void image_dealloc(ImageObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  mlc_image_free(self->image);
  Py_XDECREF(self->measured);
  PyMem_Free(self->dim_counts);
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

PyType_Spec image_spec = {"mlc.runtime._native.Image", sizeof(ImageObject), 0, Py_TPFLAGS_DEFAULT,
                                 image_slots};
