/* The memory of running calls of a shared library's model where only the call tells sizes. */
#ifndef MLC_STANDALONE_FRAME_H
#define MLC_STANDALONE_FRAME_H

#include "memory/host_memory.h"
#include "standalone/standalone_dynamic.h"

/* Where an output lies, when the program has asked for it. */
typedef struct {
  void *memory;
  int64_t bytes;
  int64_t *sizes;
  bool is_placed, is_own;
} placed_output;

/* What one running call needs; calls that run at the same time use different frames. */
typedef struct {
  mlc_host_call host;
  const mlc_sized_model *model;
  const char *outputs; /* of the caller */
  size_t stride;
  placed_output *placed;
  int64_t *dims;
  size_t *input_bytes;
  void *buffers[]; /* inputs, outputs, weights, arena */
} frame;

static inline const mlc_sized_array *array_at(const void *arrays, size_t stride, size_t index) {
  return (const mlc_sized_array *)((const char *)arrays + index * stride);
}

/* Binds the inputs and gives the dims of the model their values; 0, or -1 with mlc_model_error(). */
int mlc_frame_bind(frame *f, const void *inputs);

#endif
