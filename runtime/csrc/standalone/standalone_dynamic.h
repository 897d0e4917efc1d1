/* The additional parts of shared libraries of dynamic models. */
#ifndef MLC_STANDALONE_SIZED_H
#define MLC_STANDALONE_SIZED_H

#include "standalone/standalone.h"

/* A size of an output that the running program determines. */
#define MLC_UNKNOWN_SIZE INT64_MIN

/* Negative `sizes`: -1 is the value of the first named dim of the model, -2 that of the second, and so on. */
typedef struct {
  const char *name;
  size_t rank;
  const int64_t *sizes;
  size_t item_size;
  bool is_text; /* `const char *` for callers, an id in code */
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

/* Hooks of a library with strings or sequences (standalone_objects.c). Those that return a pointer return NULL, and set
 * mlc_model_error(), on failure. */
typedef struct {
  void *(*enter)(const mlc_sized_model *model);
  void (*leave)(void *call);
  void *(*read_texts)(void *call, const mlc_sized_model *model, const char *name, const void *data, size_t count);
  void *(*write_texts)(void *call, const mlc_sized_model *model, const int64_t *ids, size_t count, size_t *bytes);
  void (*finalize)(void);
} mlc_object_hooks;

struct mlc_sized_model {
  const mlc_model *model;
  const mlc_sized_tensor *inputs, *outputs;
  const mlc_sized_dim *dims;
  size_t dim_count, max_rank;
  const mlc_object_hooks *objects; /* NULL for a model without strings and sequences */
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
