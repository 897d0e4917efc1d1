/* What a shared library of a compiled model is made of: the generated glue describes the model with this
 * structure and exports thin functions around standalone.c. One library holds one model. */
#ifndef MLC_STANDALONE_H
#define MLC_STANDALONE_H

#include "mlc_runtime.h"

/* An input or output of a model whose sizes are known. */
typedef struct {
  const char *name;
  size_t bytes, item_size;
} mlc_fixed_array;

typedef struct {
  const char *name;
  mlc_entry *entry;
  const mlc_fixed_array *arrays; /* inputs, outputs; NULL where only calls tell sizes */
  size_t input_count, output_count, weight_count;
  size_t arena_bytes;
  const char *weights_file;       /* its name beside the library */
  const unsigned char *embedded;  /* the weights inside the library, or NULL */
  uint64_t weights_size;          /* of the safetensors file, in bytes */
  uint64_t weights_data;          /* where its data begins */
  uint64_t weights_hash;          /* FNV-1a of everything before that */
  const uint64_t *weight_offsets; /* of each weight in the data */
  const char *(*missing_feature)(void); /* of this processor, or NULL */
} mlc_model;

/* 0, or -1 with mlc_model_error(). Safe to call from several threads; later calls do nothing. */
int mlc_model_init(const mlc_model *model, const char *weights_path);
int mlc_model_run(const mlc_model *model, const void *const *inputs, void *const *outputs);
/* No call of mlc_model_run may be in progress. */
void mlc_model_finalize(void);
const char *mlc_model_error(void);

/* Sets mlc_model_error() of this thread; gives -1. */
int mlc_model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void mlc_model_clear_error(void);
/* Whether the weights are there, and where one of them lies. */
bool mlc_model_is_ready(void);
void *mlc_model_weight(const mlc_model *model, size_t index);

/* ---- standalone_arrays.c: each gives 0, or -1 with mlc_model_error() ------------------------- */

/* Memory of the caller. */
typedef struct {
  const void *data;
  size_t bytes;
} mlc_span;

/* Begins a call: forgets what the last one said. */
int mlc_model_begin(const mlc_model *model, const void *inputs, const void *outputs);
/* Whether an input or output (`role`) can lie there. */
int mlc_check_memory(const mlc_model *model, const char *role, const char *name, mlc_span span, size_t item_size);
/* Whether an output shares no byte with `what`. */
int mlc_check_apart(const mlc_model *model, const char *name, mlc_span output, const char *what, mlc_span other);
/* All of this of a model whose sizes are known. `arrays` are inputs, outputs. */
int mlc_check_arrays(const mlc_model *model, const void *const *arrays);

#endif
