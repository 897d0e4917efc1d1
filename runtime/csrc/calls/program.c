/* Program: a compiled entry point with its weights, ready to be called on arrays. */
#include "calls/frame.h"

#include <structmember.h>

enum { STATIC_DIMS = 1 };

/* ---- calls ---------------------------------------------------------------------------------- */

/* Runs the program on the bound inputs; returns the list of its outputs, the given ones or new ones. */
static PyObject *run_static(ProgramObject *self, frame *f, PyObject *given) {
  PyObject *outputs = given ? PySequence_List(given) : arguments_new_outputs(self, f);
  if (outputs && self->can_fail) {
    if (sized_call_run_static(self, f) != 0)
      Py_CLEAR(outputs);
  } else if (outputs) {
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
  if (given && arguments_bind_outputs(self, f, bound, given) != 0)
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
  if (arguments_bind_inputs(self, f, arguments[0]) == 0)
    outputs = self->entries ? size_counts_run(self, f, given) : program_run(self, f, f, given);
  frame_release(self, f);
  return outputs;
}

/* A list of (index of the kernel, dims, launches, nanoseconds). */
static PyObject *list_launches(const mlc_launch_times *times) {
  PyObject *list = PyList_New(0);
  for (size_t kernel = 0; list && kernel < times->kernel_count; kernel++)
    for (const mlc_launch_record *r = times->records[kernel]; list && r; r = r->next) {
      PyObject *dims = shape_tuple((const Py_ssize_t *)r->dims, (Py_ssize_t)r->dim_count);
      PyObject *entry = dims ? Py_BuildValue("nOLL", (Py_ssize_t)kernel, dims, (long long)r->launches,
                                             (long long)r->nanoseconds)
                             : NULL;
      if (!entry || (r->launches && PyList_Append(list, entry) != 0))
        Py_CLEAR(list);
      Py_XDECREF(entry);
      Py_XDECREF(dims);
    }
  return list;
}

static PyObject *program_profile(ProgramObject *self, PyObject *const *arguments, Py_ssize_t count) {
  const ImageObject *image = (const ImageObject *)self->image;
  mlc_launch_times times;
  if (!mlc_launch_times_init(&times, (size_t)PyTuple_GET_SIZE(image->measured), image->dim_counts))
    return PyErr_NoMemory();
  mlc_launch_times *outer = mlc_launch_times_use(&times);
  PyObject *outputs = program_call(self, arguments, count);
  mlc_launch_times_use(outer);
  PyObject *launches = outputs ? list_launches(&times) : NULL;
  mlc_launch_times_free(&times);
  PyObject *both = launches ? PyTuple_Pack(2, outputs, launches) : NULL;
  Py_XDECREF(outputs);
  Py_XDECREF(launches);
  return both;
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
  self->can_fail = dims || (messages && PyTuple_GET_SIZE(messages));
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
    {"profile", (PyCFunction)(void (*)(void))program_profile, METH_FASTCALL,
     "profile(inputs, outputs=None) -> outputs, launches"},
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
