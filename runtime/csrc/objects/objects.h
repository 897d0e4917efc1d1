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
typedef struct mlc_element {
  struct mlc_element *next; /* of the table's, which begin with the newest */
  uint64_t step, mark;      /* see mlc_sequence */
  int64_t element; /* ONNX's number of the element type */
  int64_t rank, bytes;
  int64_t *sizes;
  void *data;
} mlc_element;

/* Elements of sequences that began alike: each has the first `count` of its own of them. */
typedef struct mlc_run {
  struct mlc_run *next; /* as of elements */
  uint64_t step, mark;
  int64_t used, marked, size; /* marked: of the longest sequence that is live */
  mlc_element *elements[];
} mlc_run;

/* `step` counts functions of the runtime in a call; what the running one has made is needed, and what has step 0: the
 * caller has made it. `mark` is the last collection that has found it live. */
typedef struct {
  int64_t count; /* of elements; the next free place where `run` is NULL */
  mlc_run *run;
  uint64_t step, mark;
  int64_t next; /* of those that a collection has to look at, by place */
} mlc_sequence;

typedef struct mlc_chunk mlc_chunk;

/* Begins as zeros. What it holds is there until it is cleared. */
typedef struct mlc_objects {
  const struct mlc_objects *constants; /* whose strings have the first numbers; or NULL */
  mlc_string *strings;
  mlc_sequence *sequences;
  mlc_run *runs;
  mlc_element *elements;
  int64_t string_count, sequence_count, free_count, first_free; /* free_count: of places in `sequences` */
  uint64_t step, collections, call;
  /* Of all memory; before it grows beyond `collect_at` what is not needed is released, beyond `most` it does not
   * grow. `most` is 0 before something was taken; is_full: there was no room for what was asked for last. */
  size_t bytes, peak_bytes, collect_at, most;
  bool is_full;
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
/* The same of an alignment. */
void *mlc_objects_chunk(mlc_objects *table, size_t bytes, size_t alignment);

/* 64-byte aligned memory of any contents, which counts as the table's until it is given back; NULL when there is
 * none, or no room in the table. Sequences that nothing refers to may go. */
void *mlc_objects_take(mlc_objects *table, size_t bytes);
void mlc_objects_give(mlc_objects *table, void *memory, size_t bytes);
/* Whether one more fits into an array of `count` items of such memory, which grows in powers of two. */
bool mlc_objects_grow(mlc_objects *table, void **items, int64_t count, size_t size);

/* A new element, with memory for its data and sizes; NULL when there is no memory. */
mlc_element *mlc_objects_element(mlc_objects *table, int64_t element, int64_t rank, const int64_t *sizes, int64_t bytes);
/* The number of a new sequence of so many elements, which are to be filled in; -1 when there is no memory. */
int64_t mlc_objects_sequence(mlc_objects *table, int64_t count);
/* The number of a sequence with one more element at its end; -1 when there is no memory. A sequence that grows step
 * by step takes constant time a step. */
int64_t mlc_objects_append(mlc_objects *table, const mlc_sequence *sequence, mlc_element *element);
/* The sequence of a number; NULL if there is none. */
const mlc_sequence *mlc_objects_get_sequence(const mlc_objects *table, int64_t number);
/* Its place; -1 if there is none. */
int64_t mlc_objects_place(const mlc_objects *table, int64_t number);
size_t mlc_objects_element_bytes(const mlc_element *element);
size_t mlc_objects_run_bytes(int64_t size);

/* ---- collect.c ------------------------------------------------------------------------------ */

/* A function of the runtime begins in the running call: sequences that are no operands of it, and that no memory of
 * the call names, may go while it runs. */
void mlc_objects_step(mlc_objects *table);
/* Releases what the running call does not need, before so many bytes are taken. */
void mlc_objects_collect(mlc_objects *table, size_t bytes);

#endif
