/* Strings and sequences of a running call. In compiled code each is a number of 64 bits: its place in the call's
 * table. Number 0 is the empty string, and the empty sequence. */
#ifndef MLC_OBJECTS_H
#define MLC_OBJECTS_H

#include "mlc_runtime.h"

/* A string of `length` bytes of UTF-8; equal strings of a call have one number. */
typedef struct {
  const char *bytes;
  int64_t length;
  uint64_t hash;
} mlc_string;

/* A dense tensor, an element of sequences; what it consists of never changes. */
typedef struct {
  int64_t element; /* ONNX's number of the element type */
  int64_t rank, bytes;
  int64_t *sizes;
  void *data;
} mlc_element;

/* Elements of sequences that began alike: each has the first `count` of its own of them. */
typedef struct {
  int64_t used, size;
  const mlc_element *elements[];
} mlc_run;

typedef struct {
  int64_t count;
  mlc_run *run; /* NULL if count is 0 */
} mlc_sequence;

typedef struct mlc_chunk mlc_chunk;

/* Begins as zeros. What it holds is there until it is cleared. */
typedef struct mlc_objects {
  const struct mlc_objects *constants; /* whose strings have the first numbers; or NULL */
  mlc_string *strings;
  mlc_sequence *sequences;
  int64_t string_count, sequence_count;
  int64_t *buckets; /* places of own strings, from 1 on; 0 is free */
  size_t bucket_count;
  mlc_chunk *chunks;
  char *scratch; /* what functions build before it is known whether it is new */
  size_t scratch_size;
} mlc_objects;

/* The table of the call that this thread runs, or NULL. */
extern _Thread_local mlc_objects *mlc_current_objects;

/* Takes back all memory. */
void mlc_objects_clear(mlc_objects *table);

/* The number of a string, which is copied unless it is there; -1 when there is no memory. */
int64_t mlc_objects_string(mlc_objects *table, const char *bytes, int64_t length);
/* The string of a number; NULL if there is none. */
const mlc_string *mlc_objects_get_string(const mlc_objects *table, int64_t number);

/* Memory until the next call of this function; NULL when there is none. */
void *mlc_objects_scratch(mlc_objects *table, size_t bytes);

/* Memory that lives as long as the table holds anything; NULL when there is none. */
void *mlc_objects_allocate(mlc_objects *table, size_t bytes);

/* A new element, with memory for its data and sizes; NULL when there is no memory. */
mlc_element *mlc_objects_element(mlc_objects *table, int64_t element, int64_t rank, const int64_t *sizes, int64_t bytes);
/* The number of a new sequence of so many elements, which are to be filled in; -1 when there is no memory. */
int64_t mlc_objects_sequence(mlc_objects *table, int64_t count);
/* The number of a sequence with one more element at its end; -1 when there is no memory. A sequence that grows step
 * by step takes constant time a step. */
int64_t mlc_objects_append(mlc_objects *table, const mlc_sequence *sequence, const mlc_element *element);
/* The sequence of a number; NULL if there is none. */
const mlc_sequence *mlc_objects_get_sequence(const mlc_objects *table, int64_t number);

#endif
