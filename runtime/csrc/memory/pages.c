/* Large memory of programs: fewer pages are fewer faults, and fewer misses in the tables of pages. */
#define _GNU_SOURCE
#include "memory/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

void *mlc_pages_allocate(size_t bytes) {
  void *memory = NULL;
  const size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : PAGE;
  if (posix_memalign(&memory, alignment, bytes ? bytes : 1) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  if (alignment == HUGE_PAGE)
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}
