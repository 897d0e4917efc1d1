/* Loading the weights of a model in a shared library, and calling it, without Python. */
#define _GNU_SOURCE
#include "standalone/standalone.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/pages.h"

enum { PATH_BYTES = 4096 };

/* The memory of one running call; calls that run at the same time use different frames. */
typedef struct {
  mlc_host_call host;
  void *arena;
  void *buffers[]; /* inputs, outputs, weights, arena */
} frame;

static _Thread_local char error_text[PATH_BYTES + 512];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char *_Atomic weights; /* the safetensors file; NULL before init */
static void *mapping;
static size_t mapping_size;
static frame *_Atomic idle;

int mlc_model_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error_text, sizeof error_text, format, arguments);
  va_end(arguments);
  return -1;
}

const char *mlc_model_error(void) { return error_text; }
void mlc_model_clear_error(void) { error_text[0] = 0; }

static int check_weights(const mlc_model *model, const unsigned char *data, uint64_t size, const char *path) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  if (size != model->weights_size)
    return mlc_model_fail("%s: %s has %llu bytes, expected %llu", model->name, path, (unsigned long long)size,
                (unsigned long long)model->weights_size);
  for (uint64_t i = 0; i < model->weights_data; i++)
    hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
  if (hash != model->weights_hash)
    return mlc_model_fail("%s: %s holds the weights of another model", model->name, path);
  return 0;
}

static int map_weights(const mlc_model *model, const char *path) {
  struct stat status;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) {
    mlc_model_fail("%s: cannot open %s: %s", model->name, path, strerror(errno));
    if (file >= 0)
      close(file);
    return -1;
  }
  const size_t size = (size_t)status.st_size;
  void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  const int cause = size ? errno : ENODATA;
  close(file);
  if (data == MAP_FAILED)
    return mlc_model_fail("%s: cannot map %s: %s", model->name, path, strerror(cause));
  if (check_weights(model, data, size, path) != 0) {
    munmap(data, size);
    return -1;
  }
  mapping = data;
  mapping_size = size;
  atomic_store(&weights, data);
  return 0;
}

static int map_beside_library(const mlc_model *model) {
  Dl_info info;
  char path[PATH_BYTES];
  if (!dladdr((void *)(uintptr_t)&mlc_model_init, &info) || !info.dli_fname)
    return mlc_model_fail("%s: cannot find the library's folder; give the path of %s", model->name, model->weights_file);
  const char *slash = strrchr(info.dli_fname, '/');
  const int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
  const int length = snprintf(path, sizeof path, "%.*s%s", folder, info.dli_fname, model->weights_file);
  if (length < 0 || (size_t)length >= sizeof path)
    return mlc_model_fail("%s: the path of %s is too long", model->name, model->weights_file);
  return map_weights(model, path);
}

static int load_weights(const mlc_model *model, const char *path) {
  for (const char *const *check = model->required; *check; check++)
    if (!mlc_cpu_has(*check))
      return mlc_model_fail("%s: compiled for a processor with %.*s, which this one lacks", model->name,
                            (int)strcspn(*check, "="), *check);
  if (path)
    return map_weights(model, path);
  if (!model->embedded)
    return map_beside_library(model);
  atomic_store(&weights, model->embedded);
  return 0;
}

int mlc_model_init(const mlc_model *model, const char *weights_path) {
  mlc_model_clear_error();
  pthread_mutex_lock(&mutex);
  const int result = atomic_load(&weights) ? 0 : load_weights(model, weights_path);
  pthread_mutex_unlock(&mutex);
  return result;
}

bool mlc_model_is_ready(void) { return atomic_load(&weights) != NULL; }

void *mlc_model_weight(const mlc_model *model, size_t index) {
  return (void *)(uintptr_t)(atomic_load(&weights) + model->weights_data + model->weight_offsets[index]);
}

static void frame_free(frame *f) {
  if (f) {
    mlc_region_free(&f->host.region);
    free(f->arena);
  }
  free(f);
}

static frame *frame_new(const mlc_model *model) {
  const size_t arrays = model->input_count + model->output_count;
  const size_t pointers = arrays + model->weight_count + 1;
  frame *f = calloc(1, sizeof *f + pointers * sizeof(void *));
  if (!f || !(f->arena = mlc_pages_allocate(model->arena_bytes))) {
    free(f);
    mlc_model_fail("%s: no memory for an arena of %zu bytes", model->name, model->arena_bytes);
    return NULL;
  }
  for (size_t i = 0; i < model->weight_count; i++)
    f->buffers[arrays + i] = mlc_model_weight(model, i);
  f->buffers[pointers - 1] = f->arena;
  return f;
}

int mlc_model_explain(const mlc_model *model, const mlc_host_call *host) {
  const char *name = model->name;
  const bool has_text = host->message >= 0 && (size_t)host->message < model->message_count;
  const char *text = has_text ? model->messages[host->message] : "a message that the model lacks";
  const long long left = host->left, right = host->right;
  switch (host->failure) {
  case MLC_HOST_MESSAGE: return mlc_model_fail("%s: %s", name, text);
  case MLC_HOST_TEXT: return mlc_model_fail("%s: %s: %s", name, text, host->text);
  case MLC_HOST_MISMATCH: return mlc_model_fail("%s: %s, got %lld and %lld", name, text, left, right);
  case MLC_HOST_MEMORY: return mlc_model_fail("%s: no memory for %lld bytes", name, left);
  case MLC_HOST_SIZE:
    if (left < 0)
      return mlc_model_fail("%s: the model computes a negative size, or more memory than can be addressed", name);
    return mlc_model_fail("%s: the model asks for %lld bytes of memory", name, left);
  case MLC_HOST_OUTPUT: return -1; /* check_output has set the message */
  default: return mlc_model_fail("%s: the code does not ask for output %lld as it must", name, left);
  }
}

/* Runs the model on bound arrays; 0, or -1 with a message. */
static int run_frame(const mlc_model *model, frame *f) {
  int64_t dims[1] = {0};
  if (model->message_count)
    return mlc_host_run(&f->host, model->entry, f->buffers, dims) ? 0 : mlc_model_explain(model, &f->host);
  model->entry(f->buffers, dims);
  return 0;
}

int mlc_model_run(const mlc_model *model, const void *const *inputs, void *const *outputs) {
  if (mlc_model_begin(model, inputs, outputs) != 0)
    return -1;
  frame *f = atomic_exchange(&idle, NULL);
  if (!f && !(f = frame_new(model)))
    return -1;
  for (size_t i = 0; i < model->input_count; i++)
    f->buffers[i] = (void *)(uintptr_t)inputs[i];
  for (size_t i = 0; i < model->output_count; i++)
    f->buffers[model->input_count + i] = outputs[i];
  int result = mlc_check_arrays(model, (const void *const *)f->buffers);
  if (result == 0)
    result = run_frame(model, f);
  frame_free(atomic_exchange(&idle, f));
  return result;
}

void mlc_model_finalize(void) {
  pthread_mutex_lock(&mutex);
  mlc_pool_shutdown();
  mlc_transfers_shutdown();
  frame_free(atomic_exchange(&idle, NULL));
  if (mapping)
    munmap(mapping, mapping_size);
  mapping = NULL;
  atomic_store(&weights, NULL);
  pthread_mutex_unlock(&mutex);
}
