/* Strings and sequences of a running call. In compiled code each is a 64-bit id of an object of the call's table. Id 0
 * is the empty string, and the empty sequence. */
#ifndef MLC_OBJECTS_H
#define MLC_OBJECTS_H

#include "mlc_runtime.h"

/* A string of `length` bytes of UTF-8; equal strings of a call have one id. */
typedef struct {
  const char *bytes;
  int64_t length;
  uint64_t hash;
} mlc_string;

/* A dense tensor, an element of sequences. It is immutable. */
typedef struct mlc_element {
  struct mlc_element *next; /* in the table's list, the newest first */
  uint64_t step, mark;      /* see mlc_sequence */
  int64_t element; /* ONNX's element type */
  int64_t rank, bytes;
  int64_t *sizes;
  void *data;
} mlc_element;

/* Elements that sequences with a common prefix share: a sequence has the first `count` of them. */
typedef struct mlc_run {
  struct mlc_run *next; /* as in mlc_element */
  uint64_t step, mark;
  int64_t used, marked, size; /* marked: the length of the longest live sequence */
  mlc_element *elements[];
} mlc_run;

/* `step` counts functions of the runtime in a call. Objects of the running one are live, and those of step 0, which the
 * caller has made. `mark` is the last collection that has found it live. */
typedef struct {
  int64_t count; /* of elements; the index of the next free entry where `run` is NULL */
  mlc_run *run;
  uint64_t step, mark;
  int64_t next; /* index of the next sequence that a collection has to scan */
} mlc_sequence;

typedef struct mlc_chunk mlc_chunk;

/* Begins as zeros. Objects live until it is cleared. */
typedef struct mlc_objects {
  const struct mlc_objects *constants; /* the table whose strings have the first ids; or NULL */
  mlc_string *strings;
  mlc_sequence *sequences;
  mlc_run *runs;
  mlc_element *elements;
  int64_t string_count, sequence_count, free_count, first_free; /* free_count: of entries of `sequences` */
  uint64_t step, collections, call;
  /* Bytes of all memory: a collection precedes growth beyond `collect_at`, and `most` is the limit, 0 until first used.
   * is_full: the last request did not fit. */
  size_t bytes, peak_bytes, collect_at, most;
  bool is_full;
  int64_t *buckets; /* 1 + index in `strings`; 0 is free */
  size_t bucket_count;
  mlc_chunk *chunks;
  char *scratch; /* strings that may be in the table already */
  size_t scratch_size;
} mlc_objects;

/* The table of the call that this thread runs, or NULL. */
extern _Thread_local mlc_objects *mlc_current_objects;

/* Frees all memory. */
void mlc_objects_clear(mlc_objects *table);

/* The id of a string, which is copied if it is new; -1 when there is no memory. */
int64_t mlc_objects_string(mlc_objects *table, const char *bytes, int64_t length);
/* The string with an id; NULL if there is none. */
const mlc_string *mlc_objects_get_string(const mlc_objects *table, int64_t id);

/* Memory that is valid until the next call of this function; NULL when there is none. */
void *mlc_objects_scratch(mlc_objects *table, size_t bytes);

/* Memory that lives as long as the table holds anything; NULL when there is none. */
void *mlc_objects_allocate(mlc_objects *table, size_t bytes);
/* The same; `alignment` is a power of two up to 64. */
void *mlc_objects_chunk(mlc_objects *table, size_t bytes, size_t alignment);

/* 64-byte aligned uninitialised memory, which counts as the table's until mlc_objects_give; NULL when there is none, or
 * the table is full. May release sequences that nothing refers to. */
void *mlc_objects_take(mlc_objects *table, size_t bytes);
void mlc_objects_give(mlc_objects *table, void *memory, size_t bytes);
/* Whether one more fits into an array of `count` items of such memory, which grows in powers of two. */
bool mlc_objects_grow(mlc_objects *table, void **items, int64_t count, size_t size);

/* A new element, with memory for its data and sizes; NULL when there is no memory. */
mlc_element *mlc_objects_element(mlc_objects *table, int64_t element, int64_t rank, const int64_t *sizes, int64_t bytes);
/* The id of a new sequence of `count` elements, which the caller fills in; -1 when there is no memory. */
int64_t mlc_objects_sequence(mlc_objects *table, int64_t count);
/* The id of a sequence with one more element at its end; -1 when there is no memory. Takes amortised constant time if
 * the sequence was not appended to before. */
int64_t mlc_objects_append(mlc_objects *table, const mlc_sequence *sequence, mlc_element *element);
/* The sequence with an id; NULL if there is none. */
const mlc_sequence *mlc_objects_get_sequence(const mlc_objects *table, int64_t id);
/* The index of its entry of `sequences`; -1 if there is none. */
int64_t mlc_objects_index(const mlc_objects *table, int64_t id);
size_t mlc_objects_element_bytes(const mlc_element *element);
size_t mlc_objects_run_bytes(int64_t size);

/* ---- collect.c ------------------------------------------------------------------------------ */

/* Begins a function of the runtime: sequences that are neither its operands nor referred to by memory of the call may
 * be released while it runs. */
void mlc_objects_step(mlc_objects *table);
/* Releases what the running call does not need, before `bytes` are taken. */
void mlc_objects_collect(mlc_objects *table, size_t bytes);

#endif
