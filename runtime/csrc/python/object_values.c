/* Python's values of the strings, sequences, optionals and maps of a call. The type of a value, its form, is a tuple:
 * ("tensor", ONNX's element type, numpy.ndarray, dtype), ("sequence", form), ("optional", form) or
 * ("map", form of the keys, form of the values). */
#include "python/objects_type.h"

#include <string.h>

enum { FLOAT = 1, ID = 7, STRING = 8 };

/* The keys of the map that was read last, and a dict that has them. Maps of a sequence share them. */
typedef struct {
  ObjectsObject *objects;
  const mlc_element *keys;
  PyObject *key_list, *template;
} reader;

static char constructor(PyObject *form) { return (char)PyUnicode_READ_CHAR(PyTuple_GET_ITEM(form, 0), 0); }

static long element_type(PyObject *form) { return PyLong_AsLong(PyTuple_GET_ITEM(form, 1)); }

/* ---- strings and tensors -------------------------------------------------------------------- */

static PyObject *new_text(const mlc_objects *table, int64_t id) {
  const mlc_string *string = mlc_objects_get_string(table, id);
  if (!string)
    return PyErr_Format(PyExc_SystemError, "the code gives %lld for a string", (long long)id);
  return PyUnicode_DecodeUTF8(string->bytes, string->length, "replace");
}

/* A constant's text is made once, by the first call that returns it. */
static PyObject *text_of(const ObjectsObject *self, int64_t id) {
  ObjectsObject *constants = self->constants;
  if (!constants || id < 0 || id >= constants->table.string_count)
    return new_text(&self->table, id);
  if (!constants->texts)
    constants->texts = PyMem_Calloc((size_t)constants->table.string_count, sizeof *constants->texts);
  if (!constants->texts)
    return PyErr_NoMemory();
  if (!constants->texts[id])
    constants->texts[id] = new_text(&self->table, id);
  return Py_XNewRef(constants->texts[id]);
}

/* A new array; `memory` is NULL for an array of objects. */
static PyObject *new_array(PyObject *form, PyObject *shape, PyObject *memory) {
  PyObject *arguments[] = {shape, PyTuple_GET_ITEM(form, 3), memory};
  return PyObject_Vectorcall(PyTuple_GET_ITEM(form, 2), arguments, memory ? 3 : 2, NULL);
}

static int fill_texts(const ObjectsObject *self, PyObject *array, const int64_t *ids) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0)
    return -1;
  PyObject **items = view.buf, *text = Py_None;
  for (Py_ssize_t i = 0; text && i < view.len / view.itemsize; i++)
    if ((text = text_of(self, ids[i])))
      Py_XSETREF(items[i], text);
  PyBuffer_Release(&view);
  return text ? 0 : -1;
}

static PyObject *string_array(const ObjectsObject *self, PyObject *form, PyObject *shape, const int64_t *ids) {
  PyObject *array = new_array(form, shape, NULL);
  if (array && fill_texts(self, array, ids) != 0)
    Py_CLEAR(array);
  return array;
}

static PyObject *copied_array(PyObject *form, PyObject *shape, const mlc_element *element) {
  PyObject *memory = aligned_new((Py_ssize_t)element->bytes, 64);
  if (!memory)
    return NULL;
  if (element->bytes)
    memcpy(((AlignedObject *)memory)->data, element->data, (size_t)element->bytes);
  PyObject *array = new_array(form, shape, memory);
  Py_DECREF(memory);
  return array;
}

/* 0 if the element has the type of its form, of which strings are ids; -1 with an exception. */
static int check_type(PyObject *form, const mlc_element *element) {
  const long expected = element_type(form) == STRING ? ID : element_type(form);
  if (element->element == expected)
    return 0;
  PyErr_Format(PyExc_SystemError, "the code gives elements of type %lld, not %ld", (long long)element->element, expected);
  return -1;
}

/* An array with the elements of a tensor. */
static PyObject *tensor_of(const ObjectsObject *self, PyObject *form, const mlc_element *element) {
  PyObject *shape = check_type(form, element) != 0
                        ? NULL
                        : shape_tuple((const Py_ssize_t *)element->sizes, (Py_ssize_t)element->rank);
  PyObject *array = !shape                          ? NULL
                    : element_type(form) == STRING ? string_array(self, form, shape, element->data)
                                                   : copied_array(form, shape, element);
  Py_XDECREF(shape);
  return array;
}

/* ---- maps ----------------------------------------------------------------------------------- */

/* A list of the elements of a vector of strings or floats. */
static PyObject *scalars_of(const ObjectsObject *self, const mlc_element *vector, bool has_text) {
  PyObject *list = PyList_New((Py_ssize_t)vector->sizes[0]);
  for (Py_ssize_t i = 0; list && i < vector->sizes[0]; i++) {
    PyObject *scalar = has_text ? text_of(self, ((const int64_t *)vector->data)[i])
                                : PyFloat_FromDouble(((const float *)vector->data)[i]);
    if (scalar)
      PyList_SET_ITEM(list, i, scalar);
    else
      Py_CLEAR(list);
  }
  return list;
}

/* A list of the elements of a vector. */
static PyObject *list_of(const ObjectsObject *self, PyObject *form, const mlc_element *vector) {
  const long type = element_type(form);
  if (check_type(form, vector) != 0)
    return NULL;
  if (type == STRING || type == FLOAT)
    return scalars_of(self, vector, type == STRING);
  PyObject *array = tensor_of(self, form, vector);
  PyObject *list = array ? PyObject_CallMethod(array, "tolist", NULL) : NULL;
  Py_XDECREF(array);
  return list;
}

static void forget_keys(reader *r) {
  r->keys = NULL;
  Py_CLEAR(r->key_list);
  Py_CLEAR(r->template);
}

static int read_keys(reader *r, PyObject *form, const mlc_element *keys) {
  if (r->keys == keys)
    return 0;
  forget_keys(r);
  r->key_list = list_of(r->objects, form, keys);
  r->template = r->key_list ? PyDict_New() : NULL;
  for (Py_ssize_t i = 0; r->template && i < PyList_GET_SIZE(r->key_list); i++)
    if (PyDict_SetItem(r->template, PyList_GET_ITEM(r->key_list, i), Py_None) != 0)
      return -1;
  if (!r->template)
    return -1;
  r->keys = keys;
  return 0;
}

/* A dict from a vector of keys to the elements of another. */
static PyObject *map_of(reader *r, PyObject *form, mlc_element *const *vectors) {
  const mlc_element *keys = vectors[0], *values = vectors[1];
  if (keys->rank != 1 || values->rank != 1 || keys->sizes[0] != values->sizes[0])
    return PyErr_Format(PyExc_SystemError, "the code gives a map whose keys and values do not fit");
  if (read_keys(r, PyTuple_GET_ITEM(form, 1), keys) != 0)
    return NULL;
  PyObject *list = list_of(r->objects, PyTuple_GET_ITEM(form, 2), values);
  PyObject *map = list ? PyDict_Copy(r->template) : NULL;
  for (Py_ssize_t i = 0; map && i < PyList_GET_SIZE(list); i++)
    if (PyDict_SetItem(map, PyList_GET_ITEM(r->key_list, i), PyList_GET_ITEM(list, i)) != 0)
      Py_CLEAR(map);
  Py_XDECREF(list);
  return map;
}

/* ---- sequences ------------------------------------------------------------------------------ */

static PyObject *value_of_id(reader *r, PyObject *form, int64_t id);

static PyObject *value_of_element(reader *r, PyObject *form, const mlc_element *element) {
  if (constructor(form) == 't')
    return tensor_of(r->objects, form, element);
  int64_t id;
  memcpy(&id, element->data, sizeof id);
  return value_of_id(r, form, id);
}

/* A list of a sequence's elements, of which `step` make one value. */
static PyObject *list_of_sequence(reader *r, PyObject *form, const mlc_sequence *sequence) {
  const bool has_maps = constructor(form) == 'm';
  const int64_t step = has_maps ? 2 : 1;
  PyObject *list = PyList_New((Py_ssize_t)(sequence->count / step));
  for (int64_t i = 0; list && i < sequence->count / step; i++) {
    mlc_element *const *elements = sequence->run->elements + step * i;
    PyObject *value = has_maps ? map_of(r, form, elements) : value_of_element(r, form, elements[0]);
    if (value)
      PyList_SET_ITEM(list, (Py_ssize_t)i, value);
    else
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *value_of_id(reader *r, PyObject *form, int64_t id) {
  const mlc_sequence *sequence = mlc_objects_get_sequence(&r->objects->table, id);
  if (!sequence || (constructor(form) == 'm' && sequence->count != 2))
    return PyErr_Format(PyExc_SystemError, "the code gives %lld for a sequence", (long long)id);
  switch (constructor(form)) {
  case 'm': return map_of(r, form, sequence->run->elements);
  case 's': return list_of_sequence(r, PyTuple_GET_ITEM(form, 1), sequence);
  default:
    return sequence->count ? value_of_element(r, PyTuple_GET_ITEM(form, 1), sequence->run->elements[0])
                           : Py_NewRef(Py_None);
  }
}

static PyObject *value_of_ids(ObjectsObject *self, PyObject *form, const Py_buffer *ids) {
  if (constructor(form) == 't') {
    PyObject *shape = shape_tuple(ids->shape, ids->ndim);
    PyObject *array = shape ? string_array(self, form, shape, ids->buf) : NULL;
    Py_XDECREF(shape);
    return array;
  }
  reader r = {.objects = self};
  PyObject *value = value_of_id(&r, form, *(const int64_t *)ids->buf);
  forget_keys(&r);
  return value;
}

PyObject *objects_value(ObjectsObject *self, PyObject *const *arguments, Py_ssize_t count) {
  Py_buffer ids;
  if (count != 2 || !PyTuple_Check(arguments[0]))
    return PyErr_Format(PyExc_TypeError, "value(form, ids) takes a tuple and an array");
  if (PyObject_GetBuffer(arguments[1], &ids, PyBUF_ND | PyBUF_C_CONTIGUOUS) != 0)
    return NULL;
  PyObject *value = value_of_ids(self, arguments[0], &ids);
  PyBuffer_Release(&ids);
  return value;
}
