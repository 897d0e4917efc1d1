/* What a shared library has besides if only its calls tell the sizes of inputs and outputs. */
#ifndef MLC_STANDALONE_SIZED_H
#define MLC_STANDALONE_SIZED_H

#include "standalone/standalone.h"

/* Of an output: a size that only the running program tells. */
#define MLC_UNKNOWN_SIZE INT64_MIN

/* `sizes` below 0: -1 is the value of the first dim of the model, -2 that of the second, and so on. */
typedef struct {
  const char *name;
  size_t rank;
  const int64_t *sizes;
  size_t item_size;
  bool is_text; /* callers see `const char *`, code a number */
} mlc_sized_tensor;

typedef struct {
  const char *name;
  int64_t least, most;
} mlc_sized_dim;

typedef struct {
  const char *bytes;
  size_t length;
} mlc_sized_text;

typedef struct mlc_sized_model mlc_sized_model;

/* What a library with strings or sequences does besides (standalone_objects.c). What gives a pointer gives NULL, and
 * sets mlc_model_error(), where it fails. */
typedef struct {
  void *(*enter)(const mlc_sized_model *model);
  void (*leave)(void *call);
  void *(*read_texts)(void *call, const mlc_sized_model *model, const char *name, const void *data, size_t count);
  void *(*write_texts)(void *call, const mlc_sized_model *model, const int64_t *numbers, size_t count, size_t *bytes);
  void (*finalize)(void);
} mlc_object_hooks;

struct mlc_sized_model {
  const mlc_model *model;
  const mlc_sized_tensor *inputs, *outputs;
  const mlc_sized_dim *dims;
  const char *const *messages;
  size_t dim_count, message_count, max_rank;
  const mlc_object_hooks *objects; /* NULL for a model of numbers */
  const mlc_sized_text *texts;
  size_t text_count;
};

/* The array type of the generated header, whose `shape` has max_rank sizes. */
typedef struct {
  void *data;
  size_t bytes;
  int64_t shape[];
} mlc_sized_array;

/* `inputs` and `outputs` are arrays of mlc_sized_array, each of `stride` bytes. */
int mlc_sized_run(const mlc_sized_model *model, const void *inputs, void *outputs, size_t stride);
/* No call of mlc_sized_run may be in progress. */
void mlc_sized_finalize(const mlc_sized_model *model);

#endif
