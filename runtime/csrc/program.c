/* Program: a compiled entry point with its weights, ready to be called on arrays. */
#include "frame.h"

#include <structmember.h>

enum { STATIC_DIMS = 1 };

/* ---- calls ---------------------------------------------------------------------------------- */

static int get_input(PyObject *value, Py_buffer *view, Py_ssize_t item_size) {
  if (!PyObject_CheckBuffer(value) || PyObject_GetBuffer(value, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0)
    return -1;
  if ((uintptr_t)view->buf % (uintptr_t)item_size == 0 || view->len == 0)
    return 0;
  PyBuffer_Release(view);
  return -1;
}

/* Anything that is not an aligned, contiguous buffer goes through the Python hook, which converts it or
 * raises. */
static int bind_input(ProgramObject *self, frame *f, Py_ssize_t index, PyObject *value) {
  const tensor_spec *spec = &self->inputs[index];
  Py_buffer *view = &f->views[f->held];
  if (get_input(value, view, spec->item_size) != 0) {
    PyErr_Clear();
    PyObject *converted = PyObject_CallFunction(self->convert, "nO", index, value);
    if (!converted)
      return -1;
    const int failed = PyObject_GetBuffer(converted, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS);
    Py_DECREF(converted);
    if (failed)
      return -1;
  }
  f->held++;
  f->buffers[index] = view->buf;
  if (tensor_spec_check(spec, view, "input") != 0)
    return -1;
  return spec->is_static ? 0 : named_dims_bind(self, f->sized->dims, index, view);
}

static int check_overlap(const Py_buffer *output, const Py_buffer *others, Py_ssize_t count, PyObject *name,
                         const char *what) {
  const char *begin = output->buf, *end = begin + output->len;
  for (const Py_buffer *other = others; other < others + count; other++) {
    if ((const char *)other->buf < end && begin < (const char *)other->buf + other->len) {
      PyErr_Format(PyExc_ValueError, "output '%U' overlaps %s in memory", name, what);
      return -1;
    }
  }
  return 0;
}

static int bind_output(ProgramObject *self, frame *f, const frame *bound, Py_ssize_t index, PyObject *value) {
  const tensor_spec *spec = &self->outputs[index];
  Py_buffer *view = &f->views[f->held];
  if (PyObject_GetBuffer(value, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0) {
    PyErr_Format(PyExc_ValueError, "output '%U': expected a writable C-contiguous buffer, got %R", spec->name,
                 Py_TYPE(value));
    return -1;
  }
  f->held++;
  f->buffers[self->input_count + index] = view->buf;
  if (tensor_spec_check(spec, view, "output") != 0)
    return -1;
  if ((uintptr_t)view->buf % (uintptr_t)spec->item_size != 0) {
    PyErr_Format(PyExc_ValueError, "output '%U': its memory is not aligned to %zd bytes", spec->name,
                 spec->item_size);
    return -1;
  }
  return check_overlap(view, bound->views, self->input_count, spec->name, "an input") != 0
             ? -1
             : check_overlap(view, view - index, index, spec->name, "another output");
}

static PyObject *new_output(ProgramObject *self, frame *f, Py_ssize_t index) {
  const tensor_spec *spec = &self->outputs[index];
  PyObject *memory = aligned_new(spec->bytes, 64);
  if (!memory)
    return NULL;
  f->buffers[self->input_count + index] = ((AlignedObject *)memory)->data;
  PyObject *arguments[] = {spec->shape_tuple, spec->numpy_dtype, memory};
  PyObject *array = PyObject_Vectorcall(self->array_type, arguments, 3, NULL);
  Py_DECREF(memory);
  return array;
}

static int check_count(const tensor_spec *specs, Py_ssize_t expected, Py_ssize_t given, const char *role) {
  if (expected == given)
    return 0;
  PyObject *names = PyList_New(0);
  for (Py_ssize_t i = 0; names && i < expected; i++)
    PyList_Append(names, specs[i].name);
  if (names)
    PyErr_Format(PyExc_TypeError, "expected %zd %s%s %S, got %zd", expected, role, expected == 1 ? "" : "s", names,
                 given);
  Py_XDECREF(names);
  return -1;
}

static int bind_inputs(ProgramObject *self, frame *f, PyObject *inputs) {
  if (check_count(self->inputs, self->input_count, PySequence_Fast_GET_SIZE(inputs), "input") != 0)
    return -1;
  for (Py_ssize_t i = 0; i < self->input_count; i++)
    if (bind_input(self, f, i, PySequence_Fast_GET_ITEM(inputs, i)) != 0)
      return -1;
  return 0;
}

static int bind_outputs(ProgramObject *self, frame *f, const frame *bound, PyObject *given) {
  if (check_count(self->outputs, self->output_count, PySequence_Fast_GET_SIZE(given), "output") != 0)
    return -1;
  for (Py_ssize_t i = 0; i < self->output_count; i++)
    if (bind_output(self, f, bound, i, PySequence_Fast_GET_ITEM(given, i)) != 0)
      return -1;
  return 0;
}

static PyObject *new_outputs(ProgramObject *self, frame *f) {
  PyObject *outputs = PyList_New(self->output_count);
  for (Py_ssize_t i = 0; outputs && i < self->output_count; i++) {
    PyObject *array = new_output(self, f, i);
    if (!array)
      Py_CLEAR(outputs);
    else
      PyList_SET_ITEM(outputs, i, array);
  }
  return outputs;
}

/* Runs the program on the bound inputs; the list of its outputs, the given ones or new ones. */
static PyObject *run_static(ProgramObject *self, frame *f, PyObject *given) {
  PyObject *outputs = given ? PySequence_List(given) : new_outputs(self, f);
  if (outputs) {
    int64_t dims[STATIC_DIMS] = {0};
    const int threads = self->threads;
    Py_BEGIN_ALLOW_THREADS
    mlc_set_threads(threads);
    self->entry(f->buffers, dims);
    Py_END_ALLOW_THREADS
  }
  return outputs;
}

PyObject *program_run(ProgramObject *self, frame *f, const frame *bound, PyObject *given) {
  const Py_buffer *views = f->views + f->held;
  if (given && bind_outputs(self, f, bound, given) != 0)
    return NULL;
  return self->is_dynamic ? sized_call_run(self, f, given, views) : run_static(self, f, given);
}

static PyObject *program_call(ProgramObject *self, PyObject *const *arguments, Py_ssize_t count) {
  PyObject *given = count == 2 && arguments[1] != Py_None ? arguments[1] : NULL;
  if (count < 1 || count > 2 || !(PyTuple_Check(arguments[0]) || PyList_Check(arguments[0])) ||
      (given && !(PyTuple_Check(given) || PyList_Check(given)))) {
    PyErr_SetString(PyExc_TypeError, "call(inputs, outputs=None) takes tuples or lists");
    return NULL;
  }
  frame *f = frame_acquire(self);
  if (!f)
    return NULL;
  PyObject *outputs = NULL;
  if (bind_inputs(self, f, arguments[0]) == 0)
    outputs = self->entries ? size_counts_run(self, f, given) : program_run(self, f, f, given);
  frame_release(self, f);
  return outputs;
}

/* ---- construction --------------------------------------------------------------------------- */

static tensor_spec *parse_specs(PyObject *tuples, Py_ssize_t *count) {
  const Py_ssize_t size = PyTuple_GET_SIZE(tuples);
  tensor_spec *specs = PyMem_Calloc((size_t)size + 1, sizeof *specs);
  if (!specs)
    return (tensor_spec *)PyErr_NoMemory();
  *count = size;
  for (Py_ssize_t i = 0; i < size; i++) {
    if (!PyTuple_Check(PyTuple_GET_ITEM(tuples, i))) {
      PyErr_SetString(PyExc_TypeError, "a tensor is described by a tuple");
      return specs;
    }
    if (tensor_spec_init(&specs[i], PyTuple_GET_ITEM(tuples, i)) != 0)
      return specs;
  }
  return specs;
}

static int hold_weights(ProgramObject *self, PyObject *weights) {
  self->weights = PyMem_Calloc((size_t)PyTuple_GET_SIZE(weights) + 1, sizeof *self->weights);
  if (!self->weights)
    return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(weights); i++) {
    if (PyObject_GetBuffer(PyTuple_GET_ITEM(weights, i), &self->weights[i], PyBUF_C_CONTIGUOUS) != 0)
      return -1;
    self->weight_count++;
  }
  return 0;
}

static PyObject *program_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"image",   "symbol",     "inputs", "outputs",  "weights", "arena_bytes",
                          "convert", "array_type", "dims",   "messages", NULL};
  PyObject *image, *inputs, *outputs, *weights, *convert, *array_type, *dims = NULL, *messages = NULL;
  const char *symbol;
  Py_ssize_t arena_bytes;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!sO!O!O!nOO|OO!", names, image_type, &image, &symbol,
                                   &PyTuple_Type, &inputs, &PyTuple_Type, &outputs, &PyTuple_Type, &weights,
                                   &arena_bytes, &convert, &array_type, &dims, &PyTuple_Type, &messages))
    return NULL;
  if (dims == Py_None)
    dims = NULL;
  if (dims && !(PyTuple_Check(dims) && messages))
    return PyErr_Format(PyExc_TypeError, "a dynamic program has tuples of dims and messages");
  void *entry = mlc_image_symbol(((ImageObject *)image)->image, symbol);
  if (!entry)
    return PyErr_Format(PyExc_KeyError, "the code defines no symbol '%s'", symbol);
  if (arena_bytes < 0)
    return PyErr_Format(PyExc_ValueError, "an arena of %zd bytes", arena_bytes);
  ProgramObject *self = (ProgramObject *)type->tp_alloc(type, 0);
  if (!self)
    return NULL;
  self->entry = (mlc_entry *)entry;
  self->threads = 1;
  self->arena_bytes = arena_bytes;
  self->image = Py_NewRef(image);
  self->convert = Py_NewRef(convert);
  self->array_type = Py_NewRef(array_type);
  self->messages = Py_XNewRef(messages);
  self->inputs = parse_specs(inputs, &self->input_count);
  if (!PyErr_Occurred())
    self->outputs = parse_specs(outputs, &self->output_count);
  if (PyErr_Occurred() || hold_weights(self, weights) != 0 || (dims && named_dims_init(self, dims) != 0))
    Py_CLEAR(self);
  return (PyObject *)self;
}

static void free_specs(tensor_spec *specs, Py_ssize_t count) {
  for (Py_ssize_t i = 0; specs && i < count; i++)
    tensor_spec_free(&specs[i]);
  PyMem_Free(specs);
}

static void program_dealloc(ProgramObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  for (frame *f = self->idle, *next; f; f = next) {
    next = f->next;
    frame_free(f);
  }
  for (Py_ssize_t i = 0; i < self->weight_count; i++)
    PyBuffer_Release(&self->weights[i]);
  PyMem_Free(self->weights);
  free_specs(self->inputs, self->input_count);
  free_specs(self->outputs, self->output_count);
  named_dims_free(self);
  size_counts_free(self);
  Py_XDECREF(self->image);
  Py_XDECREF(self->messages);
  Py_XDECREF(self->convert);
  Py_XDECREF(self->array_type);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *program_watch(ProgramObject *self, PyObject *arguments) {
  return size_counts_watch(self, arguments) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef program_methods[] = {
    {"call", (PyCFunction)(void (*)(void))program_call, METH_FASTCALL, "call(inputs, outputs=None) -> outputs"},
    {"watch", (PyCFunction)program_watch, METH_VARARGS, "watch(entries, after, seen)"},
    {0},
};

static PyMemberDef program_members[] = {
    {"threads", T_INT, offsetof(ProgramObject, threads), 0, "threads that parallel regions use"},
    {"peak_bytes", T_PYSSIZET, offsetof(ProgramObject, peak_bytes), READONLY,
     "the most memory that a call of a dynamic program has had at once, besides outputs"},
    {"clock", T_LONGLONG, offsetof(ProgramObject, clock), READONLY, "calls since `watch`"},
    {0},
};

static PyType_Slot program_slots[] = {
    {Py_tp_new, program_new},         {Py_tp_dealloc, program_dealloc}, {Py_tp_methods, program_methods},
    {Py_tp_members, program_members}, {0, NULL},
};

PyType_Spec program_spec = {"mlc.runtime._native.Program", sizeof(ProgramObject), 0, Py_TPFLAGS_DEFAULT,
                            program_slots};
