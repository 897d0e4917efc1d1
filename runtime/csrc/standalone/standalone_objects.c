/* Strings as inputs and outputs of a shared library, without Python, and the table of objects of a call. In compiled
 * code a string is an id; a caller sees NUL-terminated UTF-8. */
#include "standalone/standalone_objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "objects/objects.h"

/* The objects of one running call. */
typedef struct {
  mlc_objects table;
  mlc_objects *outer;
} scope;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The strings of the model, which have the first ids. */
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

/* Begins a call and makes its table that of this thread until `leave`; NULL with a message. */
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

/* The ids of `count` strings, which live as long as the call; NULL with a message. */
static void *read_texts(void *state, const mlc_sized_model *model, const char *name, const void *data, size_t count) {
  scope *call = state;
  const char *const *texts = data;
  int64_t *ids =
      count <= SIZE_MAX / sizeof *ids ? mlc_objects_allocate(&call->table, count * sizeof *ids) : NULL;
  if (!ids) {
    no_memory(model);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    if (!texts[i]) {
      mlc_model_fail("%s: input '%s': string %zu is NULL", model->model->name, name, i);
      return NULL;
    }
    ids[i] = mlc_objects_string(&call->table, texts[i], (int64_t)strlen(texts[i]));
    if (ids[i] < 0) {
      no_memory(model);
      return NULL;
    }
  }
  return ids;
}

/* One block of `count` pointers and the strings that they point to, which the caller frees; NULL with a message. */
static void *write_texts(void *state, const mlc_sized_model *model, const int64_t *ids, size_t count,
                         size_t *bytes) {
  const mlc_objects *table = &((scope *)state)->table;
  size_t size = count * sizeof(char *);
  for (size_t i = 0; i < count; i++) {
    const mlc_string *string = mlc_objects_get_string(table, ids[i]);
    if (!string) {
      mlc_model_fail("%s: the code gives %lld for a string", model->model->name, (long long)ids[i]);
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
    const mlc_string *string = mlc_objects_get_string(table, ids[i]);
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
