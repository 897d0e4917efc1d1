/* The memory of a call's table of strings and sequences. */
#define _DEFAULT_SOURCE
#include "objects/objects.h"

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

/* The limit of a table: MLC_OBJECT_BYTES, or half of the machine's memory. */
static size_t most_bytes(void) {
  const char *given = getenv("MLC_OBJECT_BYTES");
  const unsigned long long limit = given ? strtoull(given, NULL, 10) : 0;
  if (limit)
    return (size_t)limit;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : SIZE_MAX;
}

/* Whether `bytes` more fit into the table. */
static bool has_room(mlc_objects *table, size_t bytes) {
  if (!table->most)
    table->most = most_bytes();
  if (bytes > table->most || table->bytes > table->most - bytes || table->bytes + bytes > table->collect_at)
    mlc_objects_collect(table, bytes);
  table->is_full = bytes > table->most || table->bytes > table->most - bytes;
  return !table->is_full;
}

void *mlc_objects_take(mlc_objects *table, size_t bytes) {
  void *memory;
  if (!has_room(table, bytes) || posix_memalign(&memory, 64, bytes ? bytes : 1) != 0)
    return NULL;
  table->bytes += bytes;
  if (table->bytes > table->peak_bytes)
    table->peak_bytes = table->bytes;
  return memory;
}

void mlc_objects_give(mlc_objects *table, void *memory, size_t bytes) {
  free(memory);
  table->bytes -= bytes;
}

bool mlc_objects_grow(mlc_objects *table, void **items, int64_t count, size_t size) {
  if (count & (count - 1))
    return true;
  const size_t old = (size_t)count * size;
  void *larger = mlc_objects_take(table, count ? 2 * old : size);
  if (!larger)
    return false;
  if (old)
    memcpy(larger, *items, old);
  mlc_objects_give(table, *items, old);
  *items = larger;
  return true;
}

void *mlc_objects_chunk(mlc_objects *table, size_t bytes, size_t alignment) {
  mlc_chunk *chunk = table->chunks;
  size_t begin = chunk ? (chunk->used + alignment - 1) & ~(alignment - 1) : 0;
  if (!chunk || begin > chunk->size || chunk->size - begin < bytes) {
    const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    chunk = size > SIZE_MAX - sizeof *chunk ? NULL : mlc_objects_take(table, sizeof *chunk + size);
    if (!chunk)
      return NULL;
    *chunk = (mlc_chunk){.next = table->chunks, .size = size};
    table->chunks = chunk;
    begin = 0;
  }
  chunk->used = begin + bytes;
  return chunk->memory + begin;
}

void *mlc_objects_allocate(mlc_objects *table, size_t bytes) { return mlc_objects_chunk(table, bytes, 64); }

void *mlc_objects_scratch(mlc_objects *table, size_t bytes) {
  if (bytes <= table->scratch_size && table->scratch)
    return table->scratch;
  const size_t twice = table->scratch_size > SIZE_MAX / 2 ? bytes : 2 * table->scratch_size;
  const size_t size = bytes > twice ? bytes : twice;
  mlc_objects_give(table, table->scratch, table->scratch_size);
  table->scratch = mlc_objects_take(table, size);
  table->scratch_size = table->scratch ? size : 0;
  return table->scratch;
}

void mlc_objects_clear(mlc_objects *table) {
  for (mlc_chunk *next; table->chunks; table->chunks = next) {
    next = table->chunks->next;
    free(table->chunks);
  }
  for (mlc_element *next; table->elements; table->elements = next) {
    next = table->elements->next;
    free(table->elements);
  }
  for (mlc_run *next; table->runs; table->runs = next) {
    next = table->runs->next;
    free(table->runs);
  }
  free(table->strings);
  free(table->sequences);
  free(table->buckets);
  free(table->scratch);
  *table = (mlc_objects){.constants = table->constants};
}
