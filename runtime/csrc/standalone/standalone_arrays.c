/* Checks of the arrays that a caller passes to a shared library. */
#include "standalone/standalone.h"

/* The alignment of C's scalar types: complex elements need that of one component only. */
enum { MOST_ALIGNMENT = 8 };

int mlc_model_begin(const mlc_model *model, const void *inputs, const void *outputs) {
  mlc_model_clear_error();
  if (!mlc_model_is_ready())
    return mlc_model_fail("%s: call %s_init first", model->name, model->name);
  if (!inputs && model->input_count)
    return mlc_model_fail("%s: `inputs` is NULL", model->name);
  if (!outputs && model->output_count)
    return mlc_model_fail("%s: `outputs` is NULL", model->name);
  return 0;
}

int mlc_check_memory(const mlc_model *model, const char *role, const char *name, mlc_span span, size_t item_size) {
  const size_t alignment = item_size < MOST_ALIGNMENT ? item_size : MOST_ALIGNMENT;
  if (!span.bytes)
    return 0;
  if (!span.data)
    return mlc_model_fail("%s: %s '%s': `data` is NULL", model->name, role, name);
  if ((uintptr_t)span.data % alignment)
    return mlc_model_fail("%s: %s '%s': its memory is not aligned to %zu bytes", model->name, role, name, alignment);
  return 0;
}

int mlc_check_apart(const mlc_model *model, const char *name, mlc_span output, const char *what, mlc_span other) {
  const uintptr_t begin = (uintptr_t)output.data, others = (uintptr_t)other.data;
  const bool is_empty = !output.bytes || !other.bytes;
  if (is_empty || begin >= others + other.bytes || others >= begin + output.bytes)
    return 0;
  return mlc_model_fail("%s: output '%s' overlaps %s in memory", model->name, name, what);
}

static mlc_span span_of(const mlc_model *model, const void *const *arrays, size_t index) {
  return (mlc_span){arrays[index], model->arrays[index].bytes};
}

static int check_output(const mlc_model *model, const void *const *arrays, size_t index) {
  const mlc_fixed_array *output = &model->arrays[index];
  const mlc_span span = span_of(model, arrays, index);
  if (mlc_check_memory(model, "output", output->name, span, output->item_size) != 0)
    return -1;
  for (size_t i = 0; i < index; i++)
    if (mlc_check_apart(model, output->name, span, i < model->input_count ? "an input" : "another output",
                        span_of(model, arrays, i)) != 0)
      return -1;
  return 0;
}

int mlc_check_arrays(const mlc_model *model, const void *const *arrays) {
  for (size_t i = 0; i < model->input_count; i++)
    if (mlc_check_memory(model, "input", model->arrays[i].name, span_of(model, arrays, i),
                         model->arrays[i].item_size) != 0)
      return -1;
  for (size_t i = 0; i < model->output_count; i++)
    if (check_output(model, arrays, model->input_count + i) != 0)
      return -1;
  return 0;
}
