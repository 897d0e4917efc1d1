/* The interface of the runtime's functions, most of them on strings and sequences. A host program calls
 * `void mlc_call_NAME(void **buffers, int64_t *scalars)`: `buffers` are the dense operands and results, `scalars` are
 * the index of the message that names the op, the options, then for each buffer its element type, rank and sizes. */
#ifndef MLC_OBJECT_CALLS_H
#define MLC_OBJECT_CALLS_H

#include "memory/host_memory.h"
#include "objects/objects.h"

/* A dense tensor. */
typedef struct {
  void *data;
  int64_t element, rank, count; /* count: of all elements */
  const int64_t *sizes;
} mlc_view;

/* Reads the views of `count` buffers and returns the `options` options. Later failures name this op. */
const int64_t *mlc_read_call(void **buffers, const int64_t *scalars, int64_t options, mlc_view *views, int count);

/* Bytes of one element of an ONNX element type. */
int64_t mlc_element_bytes(int64_t element);

/* The table of the running call. */
mlc_objects *mlc_call_objects(void);

/* Fails the call with a text of static lifetime. */
_Noreturn void mlc_call_fail(const char *text);
/* The same, formatted as by printf. */
_Noreturn void mlc_call_fail_with(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void mlc_call_no_memory(void);

/* Memory for `count` items, valid until the next call of this function; fails the call when there is none. */
void *mlc_call_scratch(size_t count, size_t item);

/* The id of a string; fails the call when there is no memory. */
int64_t mlc_call_string(const char *bytes, int64_t length);
const mlc_string *mlc_call_get_string(int64_t id);
const mlc_sequence *mlc_call_get_sequence(int64_t id);

/* The code point at `at` and its bytes; -1 and one byte where no code point begins. */
int32_t mlc_read_code(const unsigned char *at, const unsigned char *end, int *bytes);
/* The first 40 characters of a string in quotes, for messages; valid until the next call of this function. Characters
 * that do not print, and bytes that are no UTF-8, are written as \xff. */
const char *mlc_call_quoted(const mlc_string *string);

/* The steps of a deterministic automaton, a part of the table of a call: [states, classes] next states. */
typedef struct {
  int64_t states, classes;
  const int32_t *class_of, *steps; /* class_of: of each of 256 bytes */
} mlc_automaton;

_Noreturn static inline void mlc_automaton_fail(void) { mlc_call_fail("the table is not that of an automaton"); }

/* The state after a byte; fails the call where the table has classes or states that do not exist. */
static inline int64_t mlc_automaton_step(const mlc_automaton *a, int64_t state, uint8_t byte) {
  const int64_t class = a->class_of[byte];
  if (class < 0 || class >= a->classes)
    mlc_automaton_fail();
  const int64_t next = a->steps[state * a->classes + class];
  if (next < 0 || next >= a->states)
    mlc_automaton_fail();
  return next;
}

/* X(NAME) for all functions. */
#define MLC_OBJECT_CALLS(X) \
  X(string_concat) X(string_case) X(string_match) X(string_order) X(string_split_count) X(string_split) \
  X(string_to_float) X(string_to_integer) X(float_to_string) X(integer_to_string) \
  X(sequence_length) X(sequence_common_length) X(sequence_append) X(sequence_insert) X(sequence_erase) \
  X(sequence_dims) X(sequence_at) X(sequence_joined_dims) X(sequence_joined) X(sequence_split) X(sequence_maps) \
  X(string_token_count) X(string_tokens) X(pairwise_coupling)

#define MLC_DECLARE_CALL(NAME) void mlc_call_##NAME(void **buffers, int64_t *scalars);
MLC_OBJECT_CALLS(MLC_DECLARE_CALL)

#endif
