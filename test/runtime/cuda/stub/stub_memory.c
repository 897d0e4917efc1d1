/* The stub driver: memory. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  object head;
  char *data;
  size_t size;
} block;

static size_t used;

static block *find(enum object_type type, const char *address, size_t bytes) {
  for (object *each = stub_objects; each; each = each->next) {
    block *b = (block *)each;
    if (each->type == type && address >= b->data && address + bytes <= b->data + b->size)
      return b;
  }
  return NULL;
}

int stub_on_device(uint64_t address, size_t bytes) { return find(MEMORY, (char *)address, bytes) != NULL; }
int stub_is_pinned(const void *address, size_t bytes) { return find(PINNED, address, bytes) != NULL; }

static char *new_block(enum object_type type, size_t size) {
  block *made = stub_new(type, sizeof *made);
  made->size = size;
  if (posix_memalign((void **)&made->data, 256, size))
    abort();
  memset(made->data, 0xAB, size); /* nobody may rely on zeros */
  return made->data;
}

static int free_block(enum object_type type, char *address) {
  block *b = find(type, address, 1);
  if (!b || b->data != address)
    return INVALID_VALUE;
  const int status = stub_drain_all(); /* the driver waits too */
  memset(b->data, 0xDD, b->size);
  if (type == MEMORY)
    used -= b->size;
  free(b->data);
  stub_free(b);
  return status;
}

EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  ENTER(NEEDS_CONTEXT);
  *total = (size_t)stub_setting("MLC_STUB_MEMORY", 1 << 30);
  *free_bytes = *total - used;
  return OK;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  if (!bytes)
    return INVALID_VALUE;
  if (bytes > (size_t)stub_setting("MLC_STUB_MEMORY", 1 << 30) - used)
    return OUT_OF_MEMORY;
  used += bytes;
  *address = (uint64_t)new_block(MEMORY, bytes);
  return OK;
}

EXPORT int cuMemFree_v2(uint64_t address) {
  ENTER(NEEDS_CONTEXT);
  return free_block(MEMORY, (char *)address);
}

EXPORT int cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  ENTER(NEEDS_CONTEXT);
  if (!bytes || flags > 7)
    return INVALID_VALUE;
  *address = new_block(PINNED, bytes);
  return OK;
}

EXPORT int cuMemFreeHost(void *address) {
  ENTER(NEEDS_CONTEXT);
  return free_block(PINNED, address);
}
