/* The arrays of one call: which buffers the program reads and writes. */
#include "calls/frame.h"

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
  if (tensor_spec_check(spec, view, true) != 0)
    return -1;
  return spec->is_static ? 0 : named_dims_bind(self, f->sized->dims, index, view);
}

static int check_overlap(const Py_buffer *output, const Py_buffer *others, Py_ssize_t count, PyObject *name,
                         const char *what) {
  const char *begin = output->buf, *end = begin + output->len;
  for (const Py_buffer *other = others; other < others + count; other++) {
    const char *first = other->buf;
    if (output->len && other->len && first < end && begin < first + other->len) {
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
  if (tensor_spec_check(spec, view, false) != 0)
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

int arguments_bind_inputs(ProgramObject *self, frame *f, PyObject *inputs) {
  if (check_count(self->inputs, self->input_count, PySequence_Fast_GET_SIZE(inputs), "input") != 0)
    return -1;
  for (Py_ssize_t i = 0; i < self->input_count; i++)
    if (bind_input(self, f, i, PySequence_Fast_GET_ITEM(inputs, i)) != 0)
      return -1;
  return 0;
}

int arguments_bind_outputs(ProgramObject *self, frame *f, const frame *bound, PyObject *given) {
  if (check_count(self->outputs, self->output_count, PySequence_Fast_GET_SIZE(given), "output") != 0)
    return -1;
  for (Py_ssize_t i = 0; i < self->output_count; i++)
    if (bind_output(self, f, bound, i, PySequence_Fast_GET_ITEM(given, i)) != 0)
      return -1;
  return 0;
}

PyObject *arguments_new_outputs(ProgramObject *self, frame *f) {
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
