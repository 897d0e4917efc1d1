/* Calls of programs that can fail, and of dynamic ones, which ask for the memory of their outputs. */
#include "calls/frame.h"

#include <stdlib.h>

#include "memory/kept_blocks.h"

/* ---- outputs -------------------------------------------------------------------------------- */

static bool fits(const Py_buffer *view, const Py_ssize_t *sizes) {
  for (int i = 0; i < view->ndim; i++)
    if (view->shape[i] != sizes[i])
      return false;
  return true;
}

/* The hook of mlc_host_output; runs without the interpreter's lock. */
static void *bind_output(mlc_host_call *host, int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes) {
  sized_call *call = (sized_call *)host;
  if (index < 0 || index >= call->output_count || call->outputs[index].is_bound ||
      rank != call->specs[index].rank || !mlc_host_dense(rank, sizes, call->specs[index].item_size, bytes))
    mlc_host_leave(host, MLC_HOST_BROKEN, 0, index, 0);
  sized_output *output = &call->outputs[index];
  output->is_bound = true;
  output->bytes = (Py_ssize_t)bytes;
  for (int64_t i = 0; i < rank; i++)
    output->sizes[i] = (Py_ssize_t)sizes[i];
  if (call->given && !fits(&call->given[index], output->sizes))
    mlc_host_leave(host, MLC_HOST_OUTPUT, 0, index, 0);
  if (call->given)
    output->memory = call->given[index].buf;
  else if (!(output->memory = mlc_kept_take((size_t)bytes)))
    output->memory = mlc_host_output_memory(host, bytes);
  return output->memory;
}

static PyObject *new_array(const ProgramObject *self, const tensor_spec *spec, sized_output *output) {
  PyObject *memory = aligned_of(output->memory, output->bytes);
  if (!memory)
    return NULL;
  output->memory = NULL;
  PyObject *shape = shape_tuple(output->sizes, spec->rank), *array = NULL;
  if (shape) {
    PyObject *arguments[] = {shape, spec->numpy_dtype, memory};
    array = PyObject_Vectorcall(self->array_type, arguments, 3, NULL);
  }
  Py_XDECREF(shape);
  Py_DECREF(memory);
  return array;
}

static PyObject *new_arrays(const ProgramObject *self, sized_call *call) {
  PyObject *arrays = PyList_New(call->output_count);
  for (Py_ssize_t i = 0; arrays && i < call->output_count; i++) {
    PyObject *array = new_array(self, &call->specs[i], &call->outputs[i]);
    if (!array)
      Py_CLEAR(arrays);
    else
      PyList_SET_ITEM(arrays, i, array);
  }
  return arrays;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void raise_mismatch(const sized_call *call, Py_ssize_t index) {
  const tensor_spec *spec = &call->specs[index];
  PyObject *expected = shape_tuple(call->outputs[index].sizes, spec->rank);
  if (expected)
    tensor_spec_mismatch(spec, expected, &call->given[index], "output");
  Py_XDECREF(expected);
}

/* Raises the exception of a failed call. */
static void raise_failure(const ProgramObject *self, const sized_call *call) {
  const mlc_host_call *host = &call->host;
  const long long left = host->left, right = host->right;
  const bool is_text = host->failure == MLC_HOST_MESSAGE || host->failure == MLC_HOST_MISMATCH ||
                       host->failure == MLC_HOST_TEXT;
  PyObject *text = is_text ? PyTuple_GetItem(self->messages, (Py_ssize_t)host->message) : NULL;
  if (is_text && !text)
    return;
  switch (host->failure) {
  case MLC_HOST_MESSAGE: PyErr_SetObject(PyExc_ValueError, text); break;
  case MLC_HOST_TEXT: PyErr_Format(PyExc_ValueError, "%U: %s", text, host->text); break;
  case MLC_HOST_MISMATCH: PyErr_Format(PyExc_ValueError, "%U, got %lld and %lld", text, left, right); break;
  case MLC_HOST_MEMORY: PyErr_Format(PyExc_MemoryError, "no memory for %lld bytes", left); break;
  case MLC_HOST_SIZE:
    if (left < 0) /* what the code passes for sizes whose product overflows */
      PyErr_SetString(PyExc_ValueError, "the model computes a negative size, or more memory than can be addressed");
    else
      PyErr_Format(PyExc_ValueError, "the model asks for %lld bytes of memory", left);
    break;
  case MLC_HOST_OUTPUT: raise_mismatch(call, (Py_ssize_t)left); break;
  default: PyErr_Format(PyExc_SystemError, "the code does not ask for output %lld as it must", left);
  }
}

/* Frees the outputs that the caller has not taken. */
static void free_outputs(sized_call *call) {
  for (Py_ssize_t i = 0; i < call->output_count; i++) {
    if (!call->given)
      free(call->outputs[i].memory);
    call->outputs[i].memory = NULL;
    call->outputs[i].is_bound = false;
  }
}

/* Whether the program has asked for all outputs; otherwise sets the failure. */
static bool has_outputs(sized_call *call) {
  for (Py_ssize_t i = 0; i < call->output_count; i++)
    if (!call->outputs[i].is_bound) {
      call->host.failure = MLC_HOST_BROKEN;
      call->host.left = i;
      return false;
    }
  return true;
}

int sized_call_run_static(ProgramObject *self, frame *f) {
  const int threads = self->threads;
  bool done;
  Py_BEGIN_ALLOW_THREADS
  mlc_set_threads(threads);
  done = mlc_host_run(&f->sized->host, self->entry, f->buffers, f->sized->dims);
  Py_END_ALLOW_THREADS
  if (!done)
    raise_failure(self, f->sized);
  return done ? 0 : -1;
}

PyObject *sized_call_run(ProgramObject *self, frame *f, PyObject *given, const Py_buffer *views) {
  sized_call *call = f->sized;
  const int threads = self->threads;
  bool done;
  call->given = given ? views : NULL;
  Py_BEGIN_ALLOW_THREADS
  mlc_set_threads(threads);
  done = mlc_host_run(&call->host, self->entry, f->buffers, call->dims);
  Py_END_ALLOW_THREADS
  if (self->peak_bytes < (Py_ssize_t)call->host.region.peak)
    self->peak_bytes = (Py_ssize_t)call->host.region.peak;
  PyObject *arrays = NULL;
  if (!done || !has_outputs(call))
    raise_failure(self, call);
  else
    arrays = given ? PySequence_List(given) : new_arrays(self, call);
  free_outputs(call);
  return arrays;
}

sized_call *sized_call_new(const ProgramObject *self) {
  size_t sizes = 0;
  for (Py_ssize_t i = 0; i < self->output_count; i++)
    sizes += (size_t)self->outputs[i].rank;
  sized_call *call = PyMem_Calloc(1, sizeof *call);
  if (!call)
    return NULL;
  call->host.output = bind_output;
  call->specs = self->outputs;
  call->output_count = self->output_count;
  call->outputs = PyMem_Calloc((size_t)self->output_count + 1, sizeof *call->outputs);
  call->dims = PyMem_Calloc((size_t)self->dim_count + 1, sizeof *call->dims);
  Py_ssize_t *next = PyMem_Calloc(sizes + 1, sizeof *next);
  if (!call->outputs || !call->dims || !next) {
    PyMem_Free(next);
    sized_call_free(call);
    return NULL;
  }
  for (Py_ssize_t i = 0; i <= self->output_count; i++) {
    call->outputs[i].sizes = next;
    next += i < self->output_count ? self->outputs[i].rank : 0;
  }
  return call;
}

void sized_call_free(sized_call *call) {
  if (!call)
    return;
  mlc_region_free(&call->host.region);
  if (call->outputs)
    PyMem_Free(call->outputs[0].sizes);
  PyMem_Free(call->outputs);
  PyMem_Free(call->dims);
  PyMem_Free(call);
}
