/* Checks of arrays against what a program expects. */
#include "native.h"

int tensor_spec_init(tensor_spec *spec, PyObject *tuple) {
  const char *kind;
  if (!PyArg_ParseTuple(tuple, "UUsnO!O", &spec->name, &spec->dtype_name, &kind, &spec->item_size, &PyTuple_Type,
                        &spec->shape_tuple, &spec->numpy_dtype))
    return -1;
  Py_INCREF(spec->name);
  Py_INCREF(spec->dtype_name);
  Py_INCREF(spec->shape_tuple);
  Py_INCREF(spec->numpy_dtype);
  spec->kind = kind[0];
  spec->rank = (int)PyTuple_GET_SIZE(spec->shape_tuple);
  spec->shape = PyMem_Calloc((size_t)spec->rank + 1, sizeof *spec->shape);
  if (!spec->shape)
    return PyErr_NoMemory(), -1;
  spec->bytes = spec->item_size;
  for (int i = 0; i < spec->rank; i++) {
    spec->shape[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(spec->shape_tuple, i));
    if (spec->shape[i] < 0 || __builtin_mul_overflow(spec->bytes, spec->shape[i], &spec->bytes)) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "'%U' has an impossible shape %R", spec->name, spec->shape_tuple);
      return -1;
    }
  }
  return 0;
}

void tensor_spec_free(tensor_spec *spec) {
  Py_XDECREF(spec->shape ? spec->name : NULL);
  Py_XDECREF(spec->shape ? spec->dtype_name : NULL);
  Py_XDECREF(spec->shape ? spec->shape_tuple : NULL);
  Py_XDECREF(spec->shape ? spec->numpy_dtype : NULL);
  PyMem_Free(spec->shape);
}

/* The kind of a struct-module format in native byte order, 0 for anything else. */
static char format_kind(const char *format) {
  if (!format)
    return 'u';
  if (*format == '@' || *format == '=' || *format == '<')
    format++;
  if (*format == 'Z' && format[1] && !format[2])
    return 'c';
  if (!*format || format[1])
    return 0;
  if (*format == '?')
    return 'b';
  if (strchr("bhilqn", *format))
    return 'i';
  if (strchr("BHILQN", *format))
    return 'u';
  return strchr("efdg", *format) ? 'f' : 0;
}

static PyObject *describe_type(const Py_buffer *view) {
  const char kind = format_kind(view->format);
  if (kind == 0)
    return PyUnicode_FromFormat("buffer format '%s'", view->format);
  if (kind == 'b')
    return PyUnicode_FromString("bool");
  const char *name = kind == 'i' ? "int" : kind == 'u' ? "uint" : kind == 'f' ? "float" : "complex";
  return PyUnicode_FromFormat("%s%zd", name, view->itemsize * 8);
}

static PyObject *describe_shape(const Py_buffer *view) {
  PyObject *shape = PyTuple_New(view->ndim);
  for (int i = 0; shape && i < view->ndim; i++) {
    PyObject *size = PyLong_FromSsize_t(view->shape[i]);
    if (!size)
      Py_CLEAR(shape);
    else
      PyTuple_SET_ITEM(shape, i, size);
  }
  return shape;
}

static int fail(PyObject *error, const tensor_spec *spec, const char *role, const char *what, PyObject *expected,
                PyObject *given) {
  if (given)
    PyErr_Format(error, "%s '%U': expected %s %S, got %S", role, spec->name, what, expected, given);
  Py_XDECREF(given);
  return -1;
}

int tensor_spec_check(const tensor_spec *spec, const Py_buffer *view, const char *role) {
  if (view->itemsize != spec->item_size || format_kind(view->format) != spec->kind)
    return fail(PyExc_TypeError, spec, role, "dtype", spec->dtype_name, describe_type(view));
  int same = view->ndim == spec->rank;
  for (int i = 0; same && i < spec->rank; i++)
    same = view->shape[i] == spec->shape[i];
  if (!same)
    return fail(PyExc_ValueError, spec, role, "shape", spec->shape_tuple, describe_shape(view));
  return 0;
}
