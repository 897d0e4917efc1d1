/* The table of a call's strings and sequences. */
#define _DEFAULT_SOURCE
#include "objects.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 16384 };

struct mlc_chunk {
  mlc_chunk *next;
  size_t used, size;
  _Alignas(64) char memory[];
};

_Thread_local mlc_objects *mlc_current_objects;

/* ---- memory --------------------------------------------------------------------------------- */

/* `alignment` is a power of two up to 64. */
static void *take_memory(mlc_objects *table, size_t bytes, size_t alignment) {
  mlc_chunk *chunk = table->chunks;
  size_t begin = chunk ? (chunk->used + alignment - 1) & ~(alignment - 1) : 0;
  if (!chunk || begin > chunk->size || chunk->size - begin < bytes) {
    const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    void *memory;
    if (size > SIZE_MAX - sizeof *chunk || posix_memalign(&memory, 64, sizeof *chunk + size) != 0)
      return NULL;
    chunk = memory;
    *chunk = (mlc_chunk){.next = table->chunks, .size = size};
    table->chunks = chunk;
    begin = 0;
  }
  chunk->used = begin + bytes;
  return chunk->memory + begin;
}

void *mlc_objects_allocate(mlc_objects *table, size_t bytes) { return take_memory(table, bytes, 64); }

void *mlc_objects_scratch(mlc_objects *table, size_t bytes) {
  if (bytes <= table->scratch_size && table->scratch)
    return table->scratch;
  const size_t twice = table->scratch_size > SIZE_MAX / 2 ? bytes : 2 * table->scratch_size;
  const size_t size = bytes > twice ? bytes : twice;
  free(table->scratch);
  table->scratch = malloc(size ? size : 1);
  table->scratch_size = table->scratch ? size : 0;
  return table->scratch;
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
  free(table->scratch);
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

/* A key that nobody outside the process knows, so that nobody can choose strings that share a bucket. */
static uint64_t hash_key[2];

__attribute__((constructor)) static void choose_key(void) {
  if (getentropy(hash_key, sizeof hash_key) != 0)
    hash_key[0] = (uint64_t)(uintptr_t)&hash_key ^ (uint64_t)(uintptr_t)&malloc;
}

static uint64_t rotated(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static void sip_round(uint64_t v[4]) {
  v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
  v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  sip_round(v);
  v[0] ^= word;
}

/* SipHash-1-3 (Aumasson and Bernstein 2012). */
static uint64_t hash_bytes(const char *bytes, int64_t length) {
  uint64_t v[4] = {hash_key[0] ^ UINT64_C(0x736f6d6570736575), hash_key[1] ^ UINT64_C(0x646f72616e646f6d),
                   hash_key[0] ^ UINT64_C(0x6c7967656e657261), hash_key[1] ^ UINT64_C(0x7465646279746573)};
  int64_t i = 0;
  for (; length - i >= 8; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    sip_word(v, word);
  }
  uint64_t last = (uint64_t)length << 56;
  if (length > i)
    memcpy(&last, bytes + i, (size_t)(length - i));
  sip_word(v, last);
  v[2] ^= 0xff;
  for (int round = 0; round < 3; round++)
    sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
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
  char *copy = take_memory(table, (size_t)length + 1, 1);
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

static mlc_run *new_run(mlc_objects *table, int64_t size) {
  if ((uint64_t)size > (SIZE_MAX - sizeof(mlc_run)) / sizeof(mlc_element *))
    return NULL;
  mlc_run *run = mlc_objects_allocate(table, sizeof *run + (size_t)size * sizeof(mlc_element *));
  if (run)
    *run = (mlc_run){.size = size};
  return run;
}

/* The number of a new sequence of the first elements of a run; -1 when there is no memory. */
static int64_t add_sequence(mlc_objects *table, int64_t count, mlc_run *run) {
  if (!run || !grow((void **)&table->sequences, table->sequence_count, sizeof *table->sequences))
    return -1;
  run->used = count;
  table->sequences[table->sequence_count++] = (mlc_sequence){count, run};
  return table->sequence_count;
}

int64_t mlc_objects_sequence(mlc_objects *table, int64_t count) {
  if (count == 0)
    return 0;
  mlc_run *run = new_run(table, count);
  if (run)
    memset(run->elements, 0, (size_t)count * sizeof *run->elements);
  return add_sequence(table, count, run);
}

int64_t mlc_objects_append(mlc_objects *table, const mlc_sequence *sequence, const mlc_element *element) {
  const int64_t count = sequence->count;
  mlc_run *run = sequence->run;
  /* Another sequence has the next place, or there is none. */
  if (!run || run->used != count || run->size == count) {
    mlc_run *larger = new_run(table, count < 4 ? 8 : 2 * count);
    if (!larger)
      return -1;
    if (run)
      memcpy(larger->elements, run->elements, (size_t)count * sizeof *run->elements);
    run = larger;
  }
  run->elements[count] = element;
  return add_sequence(table, count + 1, run);
}

const mlc_sequence *mlc_objects_get_sequence(const mlc_objects *table, int64_t number) {
  static const mlc_sequence empty = {0, NULL};
  if (number == 0)
    return &empty;
  return number > 0 && number <= table->sequence_count ? &table->sequences[number - 1] : NULL;
}
