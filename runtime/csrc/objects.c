/* The table of a call's strings and sequences. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 16384 };

struct mlc_chunk {
  mlc_chunk *next;
  size_t used, size;
  _Alignas(64) char memory[];
};

_Thread_local mlc_objects *mlc_current_objects;

/* ---- memory --------------------------------------------------------------------------------- */

void *mlc_objects_allocate(mlc_objects *table, size_t bytes) {
  const size_t rounded = (bytes + 63) & ~(size_t)63;
  mlc_chunk *chunk = table->chunks;
  if (rounded < bytes)
    return NULL;
  if (!chunk || chunk->size - chunk->used < rounded) {
    const size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;
    void *memory;
    if (size > SIZE_MAX - sizeof *chunk || posix_memalign(&memory, 64, sizeof *chunk + size) != 0)
      return NULL;
    chunk = memory;
    *chunk = (mlc_chunk){.next = table->chunks, .size = size};
    table->chunks = chunk;
  }
  void *memory = chunk->memory + chunk->used;
  chunk->used += rounded;
  return memory;
}

void mlc_objects_clear(mlc_objects *table) {
  while (table->chunks) {
    mlc_chunk *next = table->chunks->next;
    free(table->chunks);
    table->chunks = next;
  }
  free(table->strings);
  free(table->sequences);
  free(table->buckets);
  *table = (mlc_objects){.constants = table->constants};
}

/* Whether one more fits into an array of `count` items, which grows in powers of two. */
static bool grow(void **items, int64_t count, size_t size) {
  if (count & (count - 1))
    return true;
  void *larger = realloc(*items, (count ? 2 * (size_t)count : 1) * size);
  if (larger)
    *items = larger;
  return larger != NULL;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash_bytes(const char *bytes, int64_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int64_t i = 0; i < length; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 32;
}

/* The bucket of a string of the table's own, or the free one where it belongs. */
static int64_t *find_bucket(const mlc_objects *table, const mlc_string *string) {
  const size_t mask = table->bucket_count - 1;
  for (size_t i = string->hash & mask;; i = (i + 1) & mask) {
    int64_t *bucket = &table->buckets[i];
    if (!*bucket)
      return bucket;
    const mlc_string *found = &table->strings[*bucket - 1];
    if (found->hash == string->hash && found->length == string->length &&
        memcmp(found->bytes, string->bytes, (size_t)string->length) == 0)
      return bucket;
  }
}

static bool grow_buckets(mlc_objects *table) {
  if (2 * ((size_t)table->string_count + 1) <= table->bucket_count)
    return true;
  const size_t count = table->bucket_count ? 2 * table->bucket_count : 16;
  int64_t *buckets = calloc(count, sizeof *buckets);
  if (!buckets)
    return false;
  free(table->buckets);
  table->buckets = buckets;
  table->bucket_count = count;
  for (int64_t i = 0; i < table->string_count; i++)
    *find_bucket(table, &table->strings[i]) = i + 1;
  return true;
}

/* The number of a string that the table has; -1 if it has none. */
static int64_t find_string(const mlc_objects *table, const mlc_string *string) {
  if (!table)
    return -1;
  const int64_t before = table->constants ? table->constants->string_count : 0;
  const int64_t constant = find_string(table->constants, string);
  if (constant >= 0 || !table->bucket_count)
    return constant;
  const int64_t *bucket = find_bucket(table, string);
  return *bucket ? before + *bucket - 1 : -1;
}

int64_t mlc_objects_string(mlc_objects *table, const char *bytes, int64_t length) {
  mlc_string string = {bytes, length, hash_bytes(bytes, length)};
  const int64_t found = find_string(table, &string);
  if (found >= 0)
    return found;
  char *copy = mlc_objects_allocate(table, (size_t)length + 1);
  if (!copy || !grow((void **)&table->strings, table->string_count, sizeof *table->strings) || !grow_buckets(table))
    return -1;
  if (length)
    memcpy(copy, bytes, (size_t)length);
  copy[length] = 0;
  string.bytes = copy;
  *find_bucket(table, &string) = table->string_count + 1;
  table->strings[table->string_count++] = string;
  return (table->constants ? table->constants->string_count : 0) + table->string_count - 1;
}

const mlc_string *mlc_objects_get_string(const mlc_objects *table, int64_t number) {
  const int64_t before = table->constants ? table->constants->string_count : 0;
  if (number >= 0 && number < before)
    return mlc_objects_get_string(table->constants, number);
  return number >= 0 && number - before < table->string_count ? &table->strings[number - before] : NULL;
}

/* ---- sequences ------------------------------------------------------------------------------ */

mlc_element *mlc_objects_element(mlc_objects *table, int64_t element, int64_t rank, const int64_t *sizes,
                                 int64_t bytes) {
  mlc_element *made = mlc_objects_allocate(table, sizeof *made + (size_t)rank * sizeof *sizes);
  void *data = mlc_objects_allocate(table, (size_t)bytes);
  if (!made || !data)
    return NULL;
  *made = (mlc_element){element, rank, bytes, (int64_t *)(made + 1), data};
  for (int64_t i = 0; i < rank; i++)
    made->sizes[i] = sizes[i];
  return made;
}

int64_t mlc_objects_sequence(mlc_objects *table, int64_t count) {
  if (count == 0)
    return 0;
  const mlc_element **elements = mlc_objects_allocate(table, (size_t)count * sizeof *elements);
  if (!elements || !grow((void **)&table->sequences, table->sequence_count, sizeof *table->sequences))
    return -1;
  memset(elements, 0, (size_t)count * sizeof *elements);
  table->sequences[table->sequence_count++] = (mlc_sequence){count, elements};
  return table->sequence_count;
}

const mlc_sequence *mlc_objects_get_sequence(const mlc_objects *table, int64_t number) {
  static const mlc_sequence empty = {0, NULL};
  if (number == 0)
    return &empty;
  return number > 0 && number <= table->sequence_count ? &table->sequences[number - 1] : NULL;
}
