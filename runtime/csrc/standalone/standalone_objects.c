/* Strings at the edges of a shared library, without Python, and the table of strings and sequences that a call has.
 * In compiled code a string is a number; a caller sees text in UTF-8 that ends with NUL. */
#include "standalone/standalone_objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "objects/objects.h"

/* Of one running call. */
typedef struct {
  mlc_objects table;
  mlc_objects *outer;
} scope;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The text that the model knows; it has the first numbers. */
static mlc_objects constants;
static bool is_ready;

static int no_memory(const mlc_sized_model *model) {
  return mlc_model_fail("%s: no memory for strings", model->model->name);
}

static bool add_constants(const mlc_sized_model *model) {
  if (mlc_objects_string(&constants, "", 0) < 0)
    return false;
  for (size_t i = 1; i < model->text_count; i++)
    if (mlc_objects_string(&constants, model->texts[i].bytes, (int64_t)model->texts[i].length) < 0)
      return false;
  return true;
}

/* Begins a call, whose table is that of this thread until it ends; NULL with a message. */
static void *enter(const mlc_sized_model *model) {
  pthread_mutex_lock(&mutex);
  if (!is_ready && !(is_ready = add_constants(model)))
    mlc_objects_clear(&constants);
  const bool ready = is_ready;
  pthread_mutex_unlock(&mutex);
  scope *call = ready ? calloc(1, sizeof *call) : NULL;
  if (!call) {
    no_memory(model);
    return NULL;
  }
  call->table.constants = &constants;
  call->outer = mlc_current_objects;
  mlc_current_objects = &call->table;
  return call;
}

static void leave(void *state) {
  scope *call = state;
  mlc_current_objects = call->outer;
  mlc_objects_clear(&call->table);
  free(call);
}

/* The numbers of `count` strings, which live as long as the call; NULL with a message. */
static void *read_texts(void *state, const mlc_sized_model *model, const char *name, const void *data, size_t count) {
  scope *call = state;
  const char *const *texts = data;
  int64_t *numbers =
      count <= SIZE_MAX / sizeof *numbers ? mlc_objects_allocate(&call->table, count * sizeof *numbers) : NULL;
  if (!numbers) {
    no_memory(model);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    if (!texts[i]) {
      mlc_model_fail("%s: input '%s': string %zu is NULL", model->model->name, name, i);
      return NULL;
    }
    numbers[i] = mlc_objects_string(&call->table, texts[i], (int64_t)strlen(texts[i]));
    if (numbers[i] < 0) {
      no_memory(model);
      return NULL;
    }
  }
  return numbers;
}

/* One block of `count` pointers and the text that they point to, which the caller frees; NULL with a message. */
static void *write_texts(void *state, const mlc_sized_model *model, const int64_t *numbers, size_t count,
                         size_t *bytes) {
  const mlc_objects *table = &((scope *)state)->table;
  size_t size = count * sizeof(char *);
  for (size_t i = 0; i < count; i++) {
    const mlc_string *string = mlc_objects_get_string(table, numbers[i]);
    if (!string) {
      mlc_model_fail("%s: the code gives %lld for a string", model->model->name, (long long)numbers[i]);
      return NULL;
    }
    size += (size_t)string->length + 1;
  }
  char **pointers = malloc(size ? size : 1);
  if (!pointers) {
    no_memory(model);
    return NULL;
  }
  char *text = (char *)(pointers + count);
  for (size_t i = 0; i < count; i++) {
    const mlc_string *string = mlc_objects_get_string(table, numbers[i]);
    pointers[i] = text;
    memcpy(text, string->bytes, (size_t)string->length);
    text[string->length] = 0;
    text += string->length + 1;
  }
  *bytes = size;
  return pointers;
}

static void finalize(void) {
  pthread_mutex_lock(&mutex);
  mlc_objects_clear(&constants);
  is_ready = false;
  pthread_mutex_unlock(&mutex);
}

const mlc_object_hooks mlc_standalone_objects = {enter, leave, read_texts, write_texts, finalize};
