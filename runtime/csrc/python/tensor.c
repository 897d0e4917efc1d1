/* Checks of arrays against what a program expects. */
#include "python/native.h"

static int impossible(const tensor_spec *spec) {
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_ValueError, "'%U' has an impossible shape %U", spec->name, spec->shape_text);
  return -1;
}

static int read_shape(tensor_spec *spec) {
  spec->bytes = spec->item_size;
  spec->is_static = true;
  for (int i = 0; i < spec->rank; i++) {
    const Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GET_ITEM(spec->shape_tuple, i));
    if (PyErr_Occurred())
      return impossible(spec);
    spec->shape[i] = size;
    if (size < 0)
      spec->is_static = false;
    else if (__builtin_mul_overflow(spec->bytes, size, &spec->bytes))
      return impossible(spec);
  }
  return 0;
}

int tensor_spec_init(tensor_spec *spec, PyObject *tuple) {
  const char *category;
  if (!PyArg_ParseTuple(tuple, "UUsnO!UO", &spec->name, &spec->dtype_name, &category, &spec->item_size, &PyTuple_Type,
                        &spec->shape_tuple, &spec->shape_text, &spec->numpy_dtype))
    return -1;
  Py_INCREF(spec->name);
  Py_INCREF(spec->dtype_name);
  Py_INCREF(spec->shape_tuple);
  Py_INCREF(spec->shape_text);
  Py_INCREF(spec->numpy_dtype);
  spec->category = category[0];
  spec->rank = (int)PyTuple_GET_SIZE(spec->shape_tuple);
  spec->shape = PyMem_Calloc((size_t)spec->rank + 1, sizeof *spec->shape);
  if (!spec->shape)
    return PyErr_NoMemory(), -1;
  return read_shape(spec);
}

void tensor_spec_free(tensor_spec *spec) {
  if (!spec->shape)
    return;
  Py_DECREF(spec->name);
  Py_DECREF(spec->dtype_name);
  Py_DECREF(spec->shape_tuple);
  Py_DECREF(spec->shape_text);
  Py_DECREF(spec->numpy_dtype);
  PyMem_Free(spec->shape);
}

/* The type category of a struct-module format in native byte order, 0 for anything else. */
static char format_category(const char *format) {
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
  const char category = format_category(view->format);
  if (category == 0)
    return PyUnicode_FromFormat("buffer format '%s'", view->format);
  if (category == 'b')
    return PyUnicode_FromString("bool");
  const char *name = category == 'i' ? "int" : category == 'u' ? "uint" : category == 'f' ? "float" : "complex";
  return PyUnicode_FromFormat("%s%zd", name, view->itemsize * 8);
}

PyObject *shape_tuple(const Py_ssize_t *sizes, Py_ssize_t rank) {
  PyObject *shape = PyTuple_New(rank);
  for (Py_ssize_t i = 0; shape && i < rank; i++) {
    PyObject *size = PyLong_FromSsize_t(sizes[i]);
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

int tensor_spec_mismatch(const tensor_spec *spec, PyObject *expected, const Py_buffer *view, const char *role) {
  return fail(PyExc_ValueError, spec, role, "shape", expected, shape_tuple(view->shape, view->ndim));
}

/* Callers may give a scalar as an array of any rank with one element. */
static bool has_shape(const tensor_spec *spec, const Py_buffer *view, bool is_input) {
  if (is_input && spec->rank == 0)
    return view->len == view->itemsize;
  bool same = view->ndim == spec->rank;
  for (int i = 0; same && i < spec->rank; i++)
    same = view->shape[i] == spec->shape[i] || spec->shape[i] < 0;
  return same;
}

int tensor_spec_check(const tensor_spec *spec, const Py_buffer *view, bool is_input) {
  const char *role = is_input ? "input" : "output";
  if (view->itemsize != spec->item_size || format_category(view->format) != spec->category)
    return fail(PyExc_TypeError, spec, role, "dtype", spec->dtype_name, describe_type(view));
  return has_shape(spec, view, is_input) ? 0 : tensor_spec_mismatch(spec, spec->shape_text, view, role);
}
