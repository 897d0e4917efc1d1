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

PyType_Spec image_spec = {"mlc.runtime._native.Image", sizeof(ImageObject), 0, Py_TPFLAGS_DEFAULT,
                                 image_slots};
