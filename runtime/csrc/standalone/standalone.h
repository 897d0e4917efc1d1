/* The runtime of shared libraries of compiled models: generated glue describes the model with mlc_model and exports
 * thin functions around standalone.c. One library holds one model. */
#ifndef MLC_STANDALONE_H
#define MLC_STANDALONE_H

#include "memory/host_memory.h"

/* An input or output of a static model. */
typedef struct {
  const char *name;
  size_t bytes, item_size;
} mlc_fixed_array;

typedef struct {
  const char *name;
  mlc_entry *entry;
  const mlc_fixed_array *arrays; /* inputs, outputs; NULL for a dynamic model */
  size_t input_count, output_count, weight_count;
  size_t arena_bytes;
  const char *weights_file;       /* its name beside the library */
  const unsigned char *embedded;  /* the weights inside the library, or NULL */
  uint64_t weights_size;          /* of the safetensors file, in bytes */
  uint64_t weights_data;          /* where its data begins */
  uint64_t weights_hash;          /* FNV-1a of everything before that */
  const uint64_t *weight_offsets; /* of each weight in the data */
  const char *const *required;    /* checks for mlc_cpu_has; ends with NULL */
  const char *const *messages;          /* of calls that fail */
  size_t message_count;
} mlc_model;

/* 0, or -1 with mlc_model_error(). Safe to call from several threads; later calls do nothing. */
int mlc_model_init(const mlc_model *model, const char *weights_path);
int mlc_model_run(const mlc_model *model, const void *const *inputs, void *const *outputs);
/* No call of mlc_model_run may be in progress. */
void mlc_model_finalize(void);
const char *mlc_model_error(void);

/* Sets mlc_model_error() of this thread; returns -1. */
int mlc_model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void mlc_model_clear_error(void);
/* Sets it to the reason why a call failed; returns -1. */
int mlc_model_explain(const mlc_model *model, const mlc_host_call *call);
/* Whether the weights are loaded. */
bool mlc_model_is_ready(void);
/* The address of a weight. */
void *mlc_model_weight(const mlc_model *model, size_t index);

/* ---- standalone_arrays.c: functions return 0, or -1 with mlc_model_error() ------------------- */

/* Memory that the caller provides. */
typedef struct {
  const void *data;
  size_t bytes;
} mlc_span;

/* Begins a call: clears the error of the last one. */
int mlc_model_begin(const mlc_model *model, const void *inputs, const void *outputs);
/* Checks the address and alignment of an input or output (`role`). */
int mlc_check_memory(const mlc_model *model, const char *role, const char *name, mlc_span span, size_t item_size);
/* Checks that an output shares no byte with `what`. */
int mlc_check_apart(const mlc_model *model, const char *name, mlc_span output, const char *what, mlc_span other);
/* All of these checks for a static model. `arrays` are inputs, outputs. */
int mlc_check_arrays(const mlc_model *model, const void *const *arrays);

#endif
