/* The named dims of a program, which each call binds to the sizes of its inputs. */
#include "calls/frame.h"

static int read_dim(named_dim *dim, PyObject *tuple) {
  PyObject *name, *most;
  long long least;
  if (!PyArg_ParseTuple(tuple, "ULO", &name, &least, &most))
    return -1;
  dim->name = Py_NewRef(name);
  dim->least = least;
  dim->most = most == Py_None ? INT64_MAX : PyLong_AsLongLong(most);
  return PyErr_Occurred() ? -1 : 0;
}

/* Finds the first input and axis that have named dim `index`. */
static int find_first(const ProgramObject *self, Py_ssize_t index, named_dim *dim) {
  for (dim->input = 0; dim->input < self->input_count; dim->input++)
    for (dim->axis = 0; dim->axis < self->inputs[dim->input].rank; dim->axis++)
      if (self->inputs[dim->input].shape[dim->axis] == -1 - index)
        return 0;
  PyErr_Format(PyExc_ValueError, "no input has the dim '%U'", dim->name);
  return -1;
}

int named_dims_init(ProgramObject *self, PyObject *dims) {
  const Py_ssize_t count = PyTuple_GET_SIZE(dims);
  self->is_dynamic = true;
  self->dims = PyMem_Calloc((size_t)count + 1, sizeof *self->dims);
  if (!self->dims)
    return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    self->dim_count++;
    if (read_dim(&self->dims[i], PyTuple_GET_ITEM(dims, i)) != 0 || find_first(self, i, &self->dims[i]) != 0)
      return -1;
  }
  return 0;
}

void named_dims_free(ProgramObject *self) {
  for (Py_ssize_t i = 0; i < self->dim_count; i++)
    Py_XDECREF(self->dims[i].name);
  PyMem_Free(self->dims);
}

static int out_of_range(const named_dim *dim, const tensor_spec *spec, int64_t size) {
  if (dim->most == INT64_MAX)
    PyErr_Format(PyExc_ValueError, "input '%U': dim %d is %lld, expected at least %lld ('%U')", spec->name, dim->axis,
                 (long long)size, (long long)dim->least, dim->name);
  else
    PyErr_Format(PyExc_ValueError, "input '%U': dim %d is %lld, expected %lld to %lld ('%U')", spec->name, dim->axis,
                 (long long)size, (long long)dim->least, (long long)dim->most, dim->name);
  return -1;
}

static int bind_dim(const ProgramObject *self, int64_t *dims, Py_ssize_t input, int axis, int64_t size) {
  const tensor_spec *spec = &self->inputs[input];
  const Py_ssize_t index = -1 - spec->shape[axis];
  const named_dim *dim = &self->dims[index];
  if (dim->input == input && dim->axis == axis) {
    dims[index] = size;
    return size < dim->least || size > dim->most ? out_of_range(dim, spec, size) : 0;
  }
  if (dims[index] == size)
    return 0;
  PyErr_Format(PyExc_ValueError, "input '%U': dim %d is %lld, but '%U' is %lld (input '%U', dim %d)", spec->name, axis,
               (long long)size, dim->name, (long long)dims[index], self->inputs[dim->input].name, dim->axis);
  return -1;
}

int named_dims_bind(const ProgramObject *self, int64_t *dims, Py_ssize_t input, const Py_buffer *view) {
  const tensor_spec *spec = &self->inputs[input];
  for (int axis = 0; axis < spec->rank; axis++)
    if (spec->shape[axis] < 0 && bind_dim(self, dims, input, axis, view->shape[axis]) != 0)
      return -1;
  return 0;
}
