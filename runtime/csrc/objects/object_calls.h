/* What the runtime's functions on strings and sequences see of their operands and results. A host program calls
 * `void mlc_call_NAME(void **buffers, int64_t *numbers)`: buffers are the operands' and the result's, dense;
 * numbers are the message that names the op, the options, then for each buffer its element type, its rank and its
 * sizes. */
#ifndef MLC_OBJECT_CALLS_H
#define MLC_OBJECT_CALLS_H

#include "memory/host_memory.h"
#include "objects/objects.h"

/* A tensor. */
typedef struct {
  void *data;
  int64_t element, rank, count; /* count: of all elements */
  const int64_t *sizes;
} mlc_view;

/* Reads the views of `count` buffers; returns the options, of which there are so many. What fails from here on is
 * this op. */
const int64_t *mlc_read_call(void **buffers, const int64_t *numbers, int64_t options, mlc_view *views, int count);

/* Bytes of one element of ONNX's type. */
int64_t mlc_element_bytes(int64_t element);

/* The table of the running call. */
mlc_objects *mlc_call_objects(void);

/* Ends the call, which fails with a text that stays. */
_Noreturn void mlc_call_fail(const char *text);
/* The same with numbers in it, as printf's. */
_Noreturn void mlc_call_fail_with(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void mlc_call_no_memory(void);

/* Memory until the next call of this function, for `count` items; ends the call where there is none. */
void *mlc_call_scratch(size_t count, size_t item);

/* The number of a string; ends the call where there is no memory. */
int64_t mlc_call_string(const char *bytes, int64_t length);
const mlc_string *mlc_call_get_string(int64_t number);
const mlc_sequence *mlc_call_get_sequence(int64_t number);

/* The code point at `at` and its bytes; a byte that begins none is one of its own, which is negative. */
int32_t mlc_read_code(const unsigned char *at, const unsigned char *end, int *bytes);
/* The first 40 characters of a string in quotes, for messages, until the next call of this function: what is not
 * shown, or no UTF-8, byte by byte as \xff. */
const char *mlc_call_quoted(const mlc_string *string);

/* X(NAME) for all functions. */
#define MLC_OBJECT_CALLS(X) \
  X(string_concat) X(string_case) X(string_match) X(string_order) X(string_split_count) X(string_split) \
  X(string_to_float) X(string_to_integer) X(float_to_string) X(integer_to_string) \
  X(sequence_length) X(sequence_common_length) X(sequence_append) X(sequence_insert) X(sequence_erase) \
  X(sequence_dims) X(sequence_at) X(sequence_joined_dims) X(sequence_joined) X(sequence_split) X(sequence_maps)

#define MLC_DECLARE_CALL(NAME) void mlc_call_##NAME(void **buffers, int64_t *numbers);
MLC_OBJECT_CALLS(MLC_DECLARE_CALL)

#endif
