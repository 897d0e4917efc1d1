/* Programs and the memory of their running calls. */
#ifndef MLC_FRAME_H
#define MLC_FRAME_H

#include "native.h"

/* What one running call needs. Calls that run at the same time use different frames. */
typedef struct frame {
  struct frame *next;
  void *arena;
  Py_buffer *views; /* of the inputs, then of given outputs */
  Py_ssize_t held;  /* how many of them are filled */
  void *buffers[];  /* inputs, outputs, weights, arena */
} frame;

typedef struct {
  PyObject_HEAD
  PyObject *image, *convert, *array_type;
  mlc_entry *entry;
  int threads;
  Py_ssize_t input_count, output_count, weight_count, arena_bytes;
  tensor_spec *inputs, *outputs;
  Py_buffer *weights;
  frame *idle;
} ProgramObject;

/* An idle frame or a new one; NULL with an exception. The interpreter's lock guards the list. */
frame *frame_acquire(ProgramObject *self);
/* Lets go of the arrays and keeps the frame for a later call. */
void frame_release(ProgramObject *self, frame *f);
void frame_free(frame *f);

#endif
