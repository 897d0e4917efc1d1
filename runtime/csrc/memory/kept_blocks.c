/* Large blocks of outputs, kept for the next call: to make the pages of a new one may take longer than the model. Blocks
 * are reused for the same size alone, and the oldest are freed where all have more than KEPT_MOST bytes. */
#include "memory/kept_blocks.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The C library takes smaller blocks from pages that it has. */
enum { KEPT_LEAST = 1 << 20, KEPT_MOST = 256 << 20, KEPT_BLOCKS = 16 };

typedef struct {
  void *memory;
  size_t size;
} kept_block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept_block kept[KEPT_BLOCKS]; /* the oldest first */
static int count;
static size_t bytes;

static void lock_blocks(void) { pthread_mutex_lock(&lock); }
static void unlock_blocks(void) { pthread_mutex_unlock(&lock); }

/* A child has the blocks, but not the thread that may be in between. */
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(lock_blocks, unlock_blocks, unlock_blocks); }

static void *remove_at(int index) {
  const kept_block block = kept[index];
  bytes -= block.size;
  memmove(&kept[index], &kept[index + 1], (size_t)(--count - index) * sizeof *kept);
  return block.memory;
}

void *mlc_kept_take(size_t size) {
  void *memory = NULL;
  if (size < KEPT_LEAST)
    return NULL;
  pthread_mutex_lock(&lock);
  for (int index = count - 1; index >= 0 && !memory; index--)
    if (kept[index].size == size)
      memory = remove_at(index);
  pthread_mutex_unlock(&lock);
  return memory;
}

void mlc_kept_release(void *memory, size_t size) {
  if (size < KEPT_LEAST || size > KEPT_MOST || (uintptr_t)memory % MLC_KEPT_ALIGNMENT != 0) {
    free(memory);
    return;
  }
  pthread_mutex_lock(&lock);
  while (count == KEPT_BLOCKS || bytes + size > KEPT_MOST)
    free(remove_at(0));
  kept[count++] = (kept_block){memory, size};
  bytes += size;
  pthread_mutex_unlock(&lock);
}
