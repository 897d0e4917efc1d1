/* The memory of running calls of a shared library's dynamic model. */
#ifndef MLC_STANDALONE_FRAME_H
#define MLC_STANDALONE_FRAME_H

#include "standalone/standalone_dynamic.h"

/* The memory of an output, bound when the program asks for it. */
typedef struct {
  void *memory;
  int64_t bytes;
  int64_t *sizes;
  bool is_bound, is_owned;
} bound_output;

/* The memory of one running call; calls that run at the same time use different frames. */
typedef struct {
  mlc_host_call host;
  const mlc_sized_model *model;
  const char *outputs; /* of the caller */
  size_t stride;
  bound_output *bound;
  int64_t *dims;
  size_t *input_bytes;
  void *buffers[]; /* inputs, outputs, weights, arena */
} frame;

static inline const mlc_sized_array *array_at(const void *arrays, size_t stride, size_t index) {
  return (const mlc_sized_array *)((const char *)arrays + index * stride);
}

/* Binds the inputs and sets the values of the model's named dims; 0, or -1 with mlc_model_error(). */
int mlc_frame_bind(frame *f, const void *inputs);

#endif
