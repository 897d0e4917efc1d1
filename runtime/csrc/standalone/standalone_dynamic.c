/* Calls of a dynamic model in a shared library, without Python. */
#define _GNU_SOURCE
#include "standalone/standalone_frame.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static frame *_Atomic idle;

/* Replaces the inputs that are strings by their ids; checks that outputs of strings have no memory of the caller. */
static int read_texts(const mlc_sized_model *model, const void *inputs, frame *f, void *call) {
  for (size_t i = 0; i < model->model->output_count; i++)
    if (model->outputs[i].is_text && array_at(f->outputs, f->stride, i)->data)
      return mlc_model_fail("%s: output '%s': the library allocates strings, `data` must be NULL", model->model->name,
                            model->outputs[i].name);
  for (size_t i = 0; i < model->model->input_count; i++) {
    const mlc_sized_array *array = array_at(inputs, f->stride, i);
    size_t count = 1;
    for (size_t axis = 0; axis < model->inputs[i].rank; axis++)
      count *= (size_t)array->shape[axis];
    if (model->inputs[i].is_text &&
        !(f->buffers[i] = model->objects->read_texts(call, model, model->inputs[i].name, array->data, count)))
      return -1;
  }
  return 0;
}

/* Replaces the ids of outputs by their strings. */
static int write_texts(const mlc_sized_model *model, frame *f, void *call) {
  for (size_t i = 0; i < model->model->output_count; i++)
    if (model->outputs[i].is_text) {
      size_t bytes;
      bound_output *output = &f->bound[i];
      void *texts = model->objects->write_texts(call, model, output->memory, (size_t)output->bytes / 8, &bytes);
      if (!texts)
        return -1;
      free(output->memory);
      output->memory = texts;
      output->bytes = (int64_t)bytes;
    }
  return 0;
}

/* Checks the caller's memory for output `index` of `bytes` bytes; 0, or -1 with mlc_model_error(). */
static int check_output(const frame *f, size_t index, size_t bytes) {
  const mlc_model *model = f->model->model;
  const mlc_sized_tensor *tensor = &f->model->outputs[index];
  const mlc_sized_array *given = array_at(f->outputs, f->stride, index);
  const mlc_span span = {given->data, bytes};
  if (bytes > given->bytes)
    return mlc_model_fail("%s: output '%s' takes %zu bytes, %zu were given", model->name, tensor->name, bytes,
                          given->bytes);
  if (mlc_check_memory(model, "output", tensor->name, span, tensor->item_size) != 0)
    return -1;
  for (size_t i = 0; i < model->input_count; i++)
    if (mlc_check_apart(model, tensor->name, span, "an input", (mlc_span){f->buffers[i], f->input_bytes[i]}) != 0)
      return -1;
  for (size_t i = 0; i < model->output_count; i++)
    if (f->bound[i].is_bound && mlc_check_apart(model, tensor->name, span, "another output",
                                                  (mlc_span){f->bound[i].memory, (size_t)f->bound[i].bytes}) != 0)
      return -1;
  return 0;
}

/* The hook of mlc_host_output. */
static void *bind_output(mlc_host_call *host, int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes) {
  frame *f = (frame *)host;
  const mlc_sized_tensor *tensors = f->model->outputs;
  if (index < 0 || (size_t)index >= f->model->model->output_count || f->bound[index].is_bound ||
      (size_t)rank != tensors[index].rank ||
      !mlc_host_dense(rank, sizes, (int64_t)tensors[index].item_size, bytes))
    mlc_host_leave(host, MLC_HOST_BROKEN, 0, index, 0);
  const mlc_sized_array *given = array_at(f->outputs, f->stride, (size_t)index);
  if (given->data && check_output(f, (size_t)index, (size_t)bytes) != 0)
    mlc_host_leave(host, MLC_HOST_OUTPUT, 0, index, 0);
  bound_output *output = &f->bound[index];
  output->bytes = bytes;
  for (int64_t i = 0; i < rank; i++)
    output->sizes[i] = sizes[i];
  output->memory = given->data ? given->data : mlc_host_output_memory(host, bytes);
  output->is_owned = !given->data;
  output->is_bound = true;
  return output->memory;
}

/* Passes the outputs to the caller, who owns them from now on. */
static void hand_over(frame *f, char *outputs) {
  for (size_t i = 0; i < f->model->model->output_count; i++) {
    mlc_sized_array *array = (mlc_sized_array *)(outputs + i * f->stride);
    array->data = f->bound[i].memory;
    array->bytes = (size_t)f->bound[i].bytes;
    memcpy(array->shape, f->bound[i].sizes, f->model->outputs[i].rank * sizeof *array->shape);
    f->bound[i].is_owned = false;
  }
}

static void reset_outputs(frame *f) {
  for (size_t i = 0; i < f->model->model->output_count; i++) {
    if (f->bound[i].is_owned)
      free(f->bound[i].memory);
    f->bound[i].is_owned = f->bound[i].is_bound = false;
  }
}

static bool has_outputs(frame *f) {
  for (size_t i = 0; i < f->model->model->output_count; i++)
    if (!f->bound[i].is_bound) {
      f->host.failure = MLC_HOST_BROKEN;
      f->host.left = (int64_t)i;
      return false;
    }
  return true;
}

static void frame_free(frame *f) {
  if (!f)
    return;
  mlc_region_free(&f->host.region);
  free(f->bound);
  free(f->dims);
  free(f->input_bytes);
  free(f);
}

static frame *frame_new(const mlc_sized_model *sized) {
  const mlc_model *model = sized->model;
  const size_t arrays = model->input_count + model->output_count;
  frame *f = calloc(1, sizeof *f + (arrays + model->weight_count + 1) * sizeof(void *));
  if (!f || !(f->dims = calloc(sized->dim_count + model->output_count * sized->max_rank + 1, sizeof *f->dims)) ||
      !(f->input_bytes = calloc(model->input_count + 1, sizeof *f->input_bytes)) ||
      !(f->bound = calloc(model->output_count + 1, sizeof *f->bound))) {
    frame_free(f);
    mlc_model_fail("%s: no memory for a call", model->name);
    return NULL;
  }
  f->model = sized;
  f->host.output = bind_output;
  for (size_t i = 0; i < model->output_count; i++)
    f->bound[i].sizes = f->dims + sized->dim_count + i * sized->max_rank;
  for (size_t i = 0; i < model->weight_count; i++)
    f->buffers[arrays + i] = mlc_model_weight(model, i);
  return f;
}

/* The call itself; 0, or -1 with a message. */
static int run_frame(const mlc_sized_model *model, const void *inputs, void *outputs, frame *f, void *call) {
  if (call && read_texts(model, inputs, f, call) != 0)
    return -1;
  if (!mlc_host_run(&f->host, model->model->entry, f->buffers, f->dims) || !has_outputs(f))
    return mlc_model_explain(model->model, &f->host);
  if (call && write_texts(model, f, call) != 0)
    return -1;
  hand_over(f, outputs);
  return 0;
}

int mlc_sized_run(const mlc_sized_model *model, const void *inputs, void *outputs, size_t stride) {
  if (mlc_model_begin(model->model, inputs, outputs) != 0)
    return -1;
  frame *f = atomic_exchange(&idle, NULL);
  if (!f && !(f = frame_new(model)))
    return -1;
  f->outputs = outputs;
  f->stride = stride;
  int result = mlc_frame_bind(f, inputs);
  void *call = NULL;
  if (result == 0 && model->objects && !(call = model->objects->enter(model)))
    result = -1;
  if (result == 0)
    result = run_frame(model, inputs, outputs, f, call);
  reset_outputs(f);
  if (call)
    model->objects->leave(call);
  frame_free(atomic_exchange(&idle, f));
  return result;
}

void mlc_sized_finalize(const mlc_sized_model *model) {
  frame_free(atomic_exchange(&idle, NULL));
  if (model->objects)
    model->objects->finalize();
}
