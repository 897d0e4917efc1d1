/* Tables of strings and sequences as Python objects, and how Python's values enter them. */
#include "python/objects_type.h"

#include <string.h>

#include <structmember.h>

static PyTypeObject *objects_type;

static PyObject *objects_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"constants", NULL};
  PyObject *constants = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O!", names, objects_type, &constants))
    return NULL;
  ObjectsObject *self = (ObjectsObject *)type->tp_alloc(type, 0);
  if (self && constants) {
    self->constants = (ObjectsObject *)Py_NewRef(constants);
    self->table.constants = &self->constants->table;
  }
  return (PyObject *)self;
}

static void objects_dealloc(ObjectsObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  for (int64_t i = 0; self->texts && i < self->table.string_count; i++)
    Py_XDECREF(self->texts[i]);
  PyMem_Free(self->texts);
  mlc_objects_clear(&self->table);
  Py_XDECREF(self->constants);
  type->tp_free(self);
  Py_DECREF(type);
}

/* ---- strings -------------------------------------------------------------------------------- */

static void raise_no_memory(const mlc_objects *table) {
  if (table->is_full)
    PyErr_Format(PyExc_MemoryError, "the strings and sequences of a call need more than %zu bytes (MLC_OBJECT_BYTES)",
                 table->most);
  else
    PyErr_NoMemory();
}

/* Adds a str or bytes. Bytes are not validated: those that are no UTF-8 are read back as U+FFFD. */
static int64_t add_string(mlc_objects *table, PyObject *text) {
  Py_ssize_t length;
  const char *bytes = NULL;
  if (PyUnicode_Check(text))
    bytes = PyUnicode_AsUTF8AndSize(text, &length);
  else if (PyBytes_Check(text))
    bytes = PyBytes_AS_STRING(text), length = PyBytes_GET_SIZE(text);
  else
    PyErr_Format(PyExc_TypeError, "expected str, got %s", Py_TYPE(text)->tp_name);
  if (!bytes)
    return -1;
  const int64_t id = mlc_objects_string(table, bytes, length);
  if (id < 0)
    raise_no_memory(table);
  return id;
}

static PyObject *objects_ids(ObjectsObject *self, PyObject *array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0)
    return NULL;
  PyObject *result = NULL;
  if (!view.format || strcmp(view.format, "O") != 0)
    PyErr_SetString(PyExc_TypeError, "expected an array of objects");
  else
    result = PyBytes_FromStringAndSize(NULL, view.len);
  for (Py_ssize_t i = 0; result && i < view.len / view.itemsize; i++) {
    PyObject *text = ((PyObject **)view.buf)[i];
    const int64_t id = add_string(&self->table, text ? text : Py_None);
    memcpy(PyBytes_AS_STRING(result) + i * (Py_ssize_t)sizeof id, &id, sizeof id);
    if (id < 0)
      Py_CLEAR(result);
  }
  PyBuffer_Release(&view);
  return result;
}

/* ---- sequences ------------------------------------------------------------------------------ */

enum { MOST_RANK = 64 };

static int read_shape(PyObject *shape, int64_t *sizes) {
  const Py_ssize_t rank = PyTuple_GET_SIZE(shape);
  if (rank > MOST_RANK) {
    PyErr_Format(PyExc_ValueError, "a tensor of rank %zd, at most %d is supported", rank, MOST_RANK);
    return -1;
  }
  for (Py_ssize_t i = 0; i < rank; i++) {
    sizes[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
    if (PyErr_Occurred())
      return -1;
  }
  return 0;
}

/* An element from (element type, shape, buffer). */
static mlc_element *read_element(mlc_objects *table, PyObject *tuple) {
  int64_t sizes[MOST_RANK];
  int element;
  PyObject *shape;
  Py_buffer view;
  if (!PyArg_ParseTuple(tuple, "iO!y*", &element, &PyTuple_Type, &shape, &view))
    return NULL;
  mlc_element *made = NULL;
  if (read_shape(shape, sizes) == 0) {
    made = mlc_objects_element(table, element, PyTuple_GET_SIZE(shape), sizes, view.len);
    if (!made)
      raise_no_memory(table);
    else if (view.len)
      memcpy(made->data, view.buf, (size_t)view.len);
  }
  PyBuffer_Release(&view);
  return made;
}

static PyObject *objects_sequence(ObjectsObject *self, PyObject *tuples) {
  PyObject *list = PySequence_Fast(tuples, "expected a sequence of tuples");
  if (!list)
    return NULL;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  const int64_t id = mlc_objects_sequence(&self->table, count);
  const mlc_sequence *made = id < 0 ? NULL : mlc_objects_get_sequence(&self->table, id);
  if (!made)
    raise_no_memory(&self->table);
  for (Py_ssize_t i = 0; made && i < count; i++) {
    mlc_element *element = read_element(&self->table, PySequence_Fast_GET_ITEM(list, i));
    made->run->elements[i] = element;
    if (!element)
      made = NULL;
  }
  Py_DECREF(list);
  return made ? PyLong_FromLongLong(id) : NULL;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Calls a function whose programs take their strings and sequences from this table. */
static PyObject *objects_run(ObjectsObject *self, PyObject *arguments) {
  if (PyTuple_GET_SIZE(arguments) < 1)
    return PyErr_Format(PyExc_TypeError, "run takes a function and its arguments");
  PyObject *rest = PyTuple_GetSlice(arguments, 1, PyTuple_GET_SIZE(arguments));
  if (!rest)
    return NULL;
  mlc_objects *const outer = mlc_current_objects;
  mlc_current_objects = &self->table;
  PyObject *result = PyObject_CallObject(PyTuple_GET_ITEM(arguments, 0), rest);
  mlc_current_objects = outer;
  Py_DECREF(rest);
  return result;
}

static PyMethodDef objects_methods[] = {
    {"ids", (PyCFunction)objects_ids, METH_O, "ids(array of str) -> their ids, as bytes of int64"},
    {"sequence", (PyCFunction)objects_sequence, METH_O, "sequence(elements) -> the id of a new sequence"},
    {"value", (PyCFunction)(void (*)(void))objects_value, METH_FASTCALL, "value(form, ids) -> what they stand for"},
    {"run", (PyCFunction)objects_run, METH_VARARGS, "run(function, *arguments) -> its result"},
    {0},
};

static PyMemberDef objects_members[] = {
    {"peak_bytes", T_PYSSIZET, offsetof(ObjectsObject, table.peak_bytes), READONLY, "peak bytes of memory"},
    {0},
};

static PyType_Slot objects_slots[] = {
    {Py_tp_new, objects_new}, {Py_tp_dealloc, objects_dealloc}, {Py_tp_methods, objects_methods},
    {Py_tp_members, objects_members}, {0, NULL}};

static PyType_Spec objects_spec = {"mlc.runtime._native.Objects", sizeof(ObjectsObject), 0, Py_TPFLAGS_DEFAULT,
                                   objects_slots};

int objects_type_add(PyObject *module) {
  objects_type = (PyTypeObject *)PyType_FromSpec(&objects_spec);
  return objects_type ? PyModule_AddType(module, objects_type) : -1;
}
