/* Best-fit allocation with coalescing, in memory that is kept between calls. */
#define _GNU_SOURCE
#include "memory/host_memory.h"
#include "memory/pages.h"

#include <stdlib.h>

enum { ALIGNMENT = 64, PAGE = 4096 };

/* The header of a block, before its memory, which begins at the next cache line. */
struct mlc_block {
  _Alignas(ALIGNMENT) size_t size; /* of the memory */
  mlc_block *before;               /* in the region; NULL for the first one and for those outside */
  mlc_block *next, *previous;      /* in the list of free blocks, or of those outside */
  bool is_free, is_outside;
};

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

static void push(mlc_block **list, mlc_block *block) {
  block->previous = NULL;
  block->next = *list;
  if (*list)
    (*list)->previous = block;
  *list = block;
}

static void unlink_block(mlc_block **list, mlc_block *block) {
  *(block->previous ? &block->previous->next : list) = block->next;
  if (block->next)
    block->next->previous = block->previous;
}

/* The block after this one, or NULL. */
static mlc_block *after(const mlc_region *region, mlc_block *block) {
  char *end = (char *)(block + 1) + block->size;
  return end < region->memory + region->size ? (mlc_block *)end : NULL;
}

static void add_free(mlc_region *region, mlc_block *block) {
  block->is_free = true;
  push(&region->free, block);
}

/* Merges the following block into `block`. */
static void absorb(mlc_region *region, mlc_block *block, mlc_block *following) {
  block->size += sizeof *following + following->size;
  mlc_block *next = after(region, block);
  if (next)
    next->before = block;
}

/* The smallest free block of at least `size` bytes, or NULL. */
static mlc_block *find_best(const mlc_region *region, size_t size) {
  mlc_block *found = NULL;
  for (mlc_block *block = region->free; block && (!found || found->size != size); block = block->next)
    if (block->size >= size && (!found || block->size < found->size))
      found = block;
  return found;
}

/* Makes a free block of what a block has after its first `size` bytes. */
static void split(mlc_region *region, mlc_block *block, size_t size) {
  if (block->size - size < sizeof *block + ALIGNMENT)
    return;
  mlc_block *rest = (mlc_block *)((char *)(block + 1) + size);
  rest->size = block->size - size - sizeof *rest;
  rest->before = block;
  rest->is_outside = false;
  block->size = size;
  mlc_block *next = after(region, rest);
  if (next)
    next->before = rest;
  add_free(region, rest);
}

static mlc_block *take_inside(mlc_region *region, size_t size) {
  mlc_block *block = find_best(region, size);
  if (!block)
    return NULL;
  unlink_block(&region->free, block);
  block->is_free = false;
  split(region, block, size);
  return block;
}

static mlc_block *allocate_outside(mlc_region *region, size_t size) {
  void *memory;
  if (posix_memalign(&memory, ALIGNMENT, sizeof(mlc_block) + size) != 0)
    return NULL;
  mlc_block *block = memory;
  *block = (mlc_block){.size = size, .is_outside = true};
  push(&region->outside, block);
  region->outside_live += sizeof *block + size;
  if (region->outside_live > region->outside_peak)
    region->outside_peak = region->outside_live;
  return block;
}

void *mlc_region_allocate(mlc_region *region, size_t bytes) {
  const size_t size = bytes ? round_up(bytes, ALIGNMENT) : ALIGNMENT;
  mlc_block *block = take_inside(region, size);
  if (!block && !(block = allocate_outside(region, size)))
    return NULL;
  region->live += sizeof *block + block->size;
  if (region->live > region->peak)
    region->peak = region->live;
  return block + 1;
}

void mlc_region_release(mlc_region *region, void *memory) {
  mlc_block *block = (mlc_block *)memory - 1;
  region->live -= sizeof *block + block->size;
  if (block->is_outside) {
    unlink_block(&region->outside, block);
    region->outside_live -= sizeof *block + block->size;
    free(block);
    return;
  }
  mlc_block *following = after(region, block), *before = block->before;
  if (following && following->is_free) {
    unlink_block(&region->free, following);
    absorb(region, block, following);
  }
  if (before && before->is_free)
    absorb(region, before, block);
  else
    add_free(region, block);
}

/* Grows by at least an eighth, so that sizes that increase from call to call do not reallocate it each time. */
static void grow(mlc_region *region) {
  const size_t least = region->size + region->size / 8;
  const size_t size = round_up(region->wanted > least ? region->wanted : least, PAGE);
  free(region->memory);
  region->memory = mlc_pages_allocate(size);
  region->size = region->memory ? size : 0;
}

void mlc_region_begin(mlc_region *region) {
  if (region->wanted > region->size)
    grow(region);
  region->live = region->peak = region->outside_live = region->outside_peak = 0;
  region->free = region->outside = NULL;
  if (!region->memory)
    return;
  mlc_block *all = (mlc_block *)region->memory;
  *all = (mlc_block){.size = region->size - sizeof *all};
  add_free(region, all);
}

void mlc_region_each(const mlc_region *region, mlc_visit *visit, void *context) {
  for (mlc_block *block = (mlc_block *)region->memory; block; block = after(region, block))
    if (!block->is_free)
      visit(context, block + 1, block->size);
  for (const mlc_block *block = region->outside; block; block = block->next)
    visit(context, block + 1, block->size);
}

void mlc_region_end(mlc_region *region) {
  for (mlc_block *block = region->outside, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  region->outside = NULL;
  region->wanted = region->size + region->outside_peak;
}

void mlc_region_free(mlc_region *region) {
  free(region->memory);
  *region = (mlc_region){0};
}
