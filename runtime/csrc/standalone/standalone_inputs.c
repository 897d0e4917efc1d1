/* Binds the inputs of one call: checks static dims, and sets the values of named dims. */
#include "standalone/standalone_frame.h"

/* Fails: dim `axis` of `tensor` differs from the value of named dim `index`, which an earlier input has set. */
static int fail_unequal(const mlc_sized_model *model, const mlc_sized_tensor *tensor, size_t axis, int64_t size,
                        const frame *f, int64_t index) {
  const mlc_sized_tensor *first = model->inputs;
  size_t i = 0;
  while (i == first->rank || first->sizes[i] != -1 - index)
    if (i == first->rank)
      first++, i = 0;
    else
      i++;
  return mlc_model_fail("%s: input '%s': dim %zu is %lld, but '%s' is %lld (input '%s', dim %zu)", model->model->name,
                        tensor->name, axis, (long long)size, model->dims[index].name, (long long)f->dims[index],
                        first->name, i);
}

static int bind_dim(const mlc_sized_model *model, const mlc_sized_tensor *tensor, size_t axis, int64_t size, frame *f) {
  const int64_t expected = tensor->sizes[axis], index = -1 - expected;
  if (expected >= 0 && size != expected)
    return mlc_model_fail("%s: input '%s': dim %zu is %lld, expected %lld", model->model->name, tensor->name, axis,
                          (long long)size, (long long)expected);
  if (expected >= 0)
    return 0;
  const mlc_sized_dim *dim = &model->dims[index];
  if (f->dims[index] >= 0)
    return f->dims[index] == size ? 0 : fail_unequal(model, tensor, axis, size, f, index);
  f->dims[index] = size;
  if (size >= dim->least && size <= dim->most)
    return 0;
  return mlc_model_fail("%s: input '%s': dim %zu is %lld, expected %lld to %lld ('%s')", model->model->name,
                        tensor->name, axis, (long long)size, (long long)dim->least, (long long)dim->most, dim->name);
}

int mlc_frame_bind(frame *f, const void *inputs) {
  const mlc_sized_model *model = f->model;
  for (size_t i = 0; i < model->dim_count; i++)
    f->dims[i] = -1;
  for (size_t i = 0; i < model->model->input_count; i++) {
    const mlc_sized_array *array = array_at(inputs, f->stride, i);
    f->buffers[i] = array->data;
    size_t bytes = model->inputs[i].item_size;
    for (size_t axis = 0; axis < model->inputs[i].rank; axis++) {
      if (bind_dim(model, &model->inputs[i], axis, array->shape[axis], f) != 0)
        return -1;
      if (__builtin_mul_overflow(bytes, (size_t)array->shape[axis], &bytes))
        bytes = SIZE_MAX;
    }
    if (bytes == SIZE_MAX)
      return mlc_model_fail("%s: input '%s': no memory can hold an array of its shape", model->model->name,
                            model->inputs[i].name);
    if (mlc_check_memory(model->model, "input", model->inputs[i].name, (mlc_span){array->data, bytes},
                         model->inputs[i].item_size) != 0)
      return -1;
    f->input_bytes[i] = bytes;
  }
  return 0;
}
