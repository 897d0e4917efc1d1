/* What a shared library has besides if only its calls tell the sizes of inputs and outputs. */
#ifndef MLC_STANDALONE_SIZED_H
#define MLC_STANDALONE_SIZED_H

#include "standalone.h"

/* Of an output: a size that only the running program tells. */
#define MLC_UNKNOWN_SIZE INT64_MIN

/* `sizes` below 0: -1 is the value of the first dim of the model, -2 that of the second, and so on. */
typedef struct {
  const char *name;
  size_t rank;
  const int64_t *sizes;
  size_t item_size;
} mlc_sized_tensor;

typedef struct {
  const char *name;
  int64_t least, most;
} mlc_sized_dim;

typedef struct {
  const mlc_model *model;
  const mlc_sized_tensor *inputs, *outputs;
  const mlc_sized_dim *dims;
  const char *const *messages;
  size_t dim_count, message_count, max_rank;
} mlc_sized_model;

/* The array type of the generated header, whose `shape` has max_rank sizes. */
typedef struct {
  void *data;
  size_t bytes;
  int64_t shape[];
} mlc_sized_array;

/* `inputs` and `outputs` are arrays of mlc_sized_array, each of `stride` bytes. */
int mlc_sized_run(const mlc_sized_model *model, const void *inputs, void *outputs, size_t stride);
/* No call of mlc_sized_run may be in progress. */
void mlc_sized_finalize(void);

#endif
