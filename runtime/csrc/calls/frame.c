/* Arenas and argument lists of running calls. */
#include "calls/frame.h"

#include "memory/pages.h"

void frame_free(frame *f) {
  sized_call_free(f->sized);
  free(f->arena);
  PyMem_Free(f->views);
  PyMem_Free(f);
}

static frame *frame_new(const ProgramObject *self) {
  const size_t arrays = (size_t)(self->input_count + self->output_count);
  const size_t pointers = arrays + (size_t)self->weight_count + 1;
  frame *f = PyMem_Calloc(1, sizeof *f + pointers * sizeof(void *));
  if (!f)
    return PyErr_NoMemory(), NULL;
  f->views = PyMem_Calloc(arrays + 1, sizeof *f->views);
  if (self->can_fail && !(f->sized = sized_call_new(self)))
    return frame_free(f), (frame *)PyErr_NoMemory();
  f->arena = mlc_pages_allocate((size_t)self->arena_bytes);
  if (!f->views || !f->arena) {
    frame_free(f);
    PyErr_Format(PyExc_MemoryError, "no memory for an arena of %zd bytes", self->arena_bytes);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < self->weight_count; i++)
    f->buffers[arrays + (size_t)i] = self->weights[i].buf;
  f->buffers[pointers - 1] = f->arena;
  return f;
}

frame *frame_acquire(ProgramObject *self) {
  frame *f = self->idle;
  if (!f)
    return frame_new(self);
  self->idle = f->next;
  return f;
}

void frame_release(ProgramObject *self, frame *f) {
  while (f->held > 0)
    PyBuffer_Release(&f->views[--f->held]);
  f->next = self->idle;
  self->idle = f;
}
