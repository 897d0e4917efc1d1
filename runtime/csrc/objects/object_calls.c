/* Support for the functions on strings and sequences. */
#include "objects/object_calls.h"

#include <stdarg.h>
#include <stdio.h>

/* The message that names the op whose function runs. */
static _Thread_local int64_t running_op;

const int64_t *mlc_read_call(void **buffers, const int64_t *scalars, int64_t options, mlc_view *views, int count) {
  const int64_t *next = scalars + 1 + options;
  running_op = scalars[0];
  if (mlc_current_objects)
    mlc_objects_step(mlc_current_objects);
  for (int i = 0; i < count; i++) {
    views[i] = (mlc_view){.data = buffers[i], .element = next[0], .rank = next[1], .count = 1, .sizes = next + 2};
    for (int64_t axis = 0; axis < views[i].rank; axis++)
      views[i].count *= views[i].sizes[axis];
    next += 2 + views[i].rank;
  }
  return scalars + 1;
}

int64_t mlc_element_bytes(int64_t element) {
  switch (element) {
  case 4: case 5: case 10: case 16: return 2;  /* 16-bit integers, f16, bf16 */
  case 1: case 6: case 12: return 4;           /* f32, 32-bit integers */
  case 7: case 8: case 11: case 13: case 14: return 8; /* 64-bit integers, objects, f64, complex of f32 */
  case 15: return 16;
  default: return 1; /* bytes, booleans, and narrower types */
  }
}

void mlc_call_fail(const char *text) { mlc_host_fail_text(running_op, text); }

void mlc_call_fail_with(const char *format, ...) {
  static _Thread_local char text[320];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  mlc_call_fail(text);
}

mlc_objects *mlc_call_objects(void) {
  if (!mlc_current_objects)
    mlc_call_fail("strings and sequences need a table of objects, which this call lacks");
  return mlc_current_objects;
}

void mlc_call_no_memory(void) {
  if (!mlc_current_objects->is_full)
    mlc_call_fail("no memory for strings and sequences");
  mlc_call_fail_with("the strings and sequences of a call need more than %zu bytes (MLC_OBJECT_BYTES)",
                     mlc_current_objects->most);
}

void *mlc_call_scratch(size_t count, size_t item) {
  size_t bytes;
  void *memory =
      __builtin_mul_overflow(count, item, &bytes) ? NULL : mlc_objects_scratch(mlc_call_objects(), bytes);
  if (!memory)
    mlc_call_no_memory();
  return memory;
}

int64_t mlc_call_string(const char *bytes, int64_t length) {
  const int64_t id = mlc_objects_string(mlc_call_objects(), bytes, length);
  if (id < 0)
    mlc_call_no_memory();
  return id;
}

const mlc_string *mlc_call_get_string(int64_t id) {
  const mlc_string *string = mlc_objects_get_string(mlc_call_objects(), id);
  if (!string)
    mlc_call_fail("an operand is not the id of a string");
  return string;
}

const mlc_sequence *mlc_call_get_sequence(int64_t id) {
  const mlc_sequence *sequence = mlc_objects_get_sequence(mlc_call_objects(), id);
  if (!sequence)
    mlc_call_fail("an operand is not the id of a sequence");
  return sequence;
}
