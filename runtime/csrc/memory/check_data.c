/* Checks of indices and divisors that host programs make before kernels read them. */
#include <stdio.h>
#include <string.h>

#include "memory/host_memory.h"

/* The integers before the sizes. */
typedef struct {
  int64_t message, bits, first_axis, front_only, rank, columns;
} check_header;

enum { HEADER_INTEGERS = sizeof(check_header) / sizeof(int64_t), LANES = 16 };

typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));

static int64_t index_at(const void *indices, int64_t bits, int64_t i) {
  return bits == 64 ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
}

/* Negative, in the sign bit, if an index is not in [least, extent), of which `least` is -extent or 0. Of the two
 * differences the masks keep the one that does not wrap. Works on integers and on lanes. */
#define OUTSIDE(INDEX, LEAST, EXTENT) ((((EXTENT) - 1 - (INDEX)) & ~(INDEX)) | (((INDEX) - (LEAST)) & (INDEX)))

/* Compiled for wider vectors, too, of which the loader chooses those that the processor has. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_WIDER_VECTORS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define FOR_WIDER_VECTORS
#endif

/* The same of indices one after the other; returns how many of them were looked at, a multiple of LANES. */
FOR_WIDER_VECTORS
static int64_t check_run(const int64_t *indices, int64_t count, uint64_t least, uint64_t extent, uint64_t *found) {
  lanes outside = {0};
  int64_t i = 0;
  for (lanes index; i + LANES <= count; i += LANES) {
    memcpy(&index, indices + i, sizeof index);
    outside |= OUTSIDE(index, least, extent);
  }
  for (int lane = 0; lane < LANES; lane++)
    *found |= outside[lane];
  return i;
}

static bool any_outside(const void *indices, int64_t bits, int64_t first, int64_t step, int64_t count, int64_t least,
                        int64_t extent) {
  const uint64_t low = (uint64_t)least, size = (uint64_t)extent;
  uint64_t found = 0;
  int64_t i = first;
  if (bits == 64 && step == 1)
    i = check_run(indices, count, low, size, &found);
  for (; i < count; i += step) {
    const uint64_t index = (uint64_t)index_at(indices, bits, i);
    found |= OUTSIDE(index, low, size);
  }
  return found >> 63;
}

/* Appends to the text in `detail`. */
#define APPEND(...) used += snprintf(detail + used, used < room ? room - used : 0, __VA_ARGS__)

static int64_t count_elements(int64_t rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int64_t axis = 0; axis < rank; axis++)
    count *= sizes[axis];
  return count;
}

/* Appends " at [...]", the coordinates of element `at`; nothing for a scalar. Returns the length of the text. */
static size_t append_coordinates(char *detail, size_t room, size_t used, int64_t rank, const int64_t *sizes,
                                 int64_t at) {
  int64_t inner = count_elements(rank, sizes);
  for (int64_t axis = 0; axis < rank; axis++) {
    inner /= sizes[axis];
    APPEND("%s%lld", axis ? ", " : " at [", (long long)(at / inner % sizes[axis]));
  }
  APPEND("%s", rank ? "]" : "");
  return used;
}

static _Noreturn void fail(const check_header *header, int64_t at, int64_t index) {
  const int64_t *sizes = (const int64_t *)header + HEADER_INTEGERS, column = at % header->columns;
  size_t room, used = 0;
  char *detail = mlc_host_detail(&room);
  APPEND("index %lld", (long long)index);
  used = append_coordinates(detail, room, used, header->rank, sizes, at);
  APPEND(" is out of bounds for axis %lld of size %lld", (long long)(header->first_axis + column),
         (long long)sizes[header->rank + column]);
  mlc_host_fail_text(header->message, detail);
}

void mlc_host_check_indices(const void *indices, const int64_t *integers) {
  const check_header *header = (const check_header *)integers;
  const int64_t *sizes = integers + HEADER_INTEGERS, *extents = sizes + header->rank;
  const int64_t count = count_elements(header->rank, sizes);
  int64_t first = -1;
  for (int64_t column = 0; column < header->columns; column++) {
    const int64_t extent = extents[column], least = header->front_only ? 0 : -extent;
    if (!any_outside(indices, header->bits, column, header->columns, count, least, extent))
      continue;
    int64_t i = column;
    for (int64_t index = index_at(indices, header->bits, i); index >= least && index < extent;
         index = index_at(indices, header->bits, i))
      i += header->columns;
    first = first < 0 || i < first ? i : first;
  }
  if (first >= 0)
    fail(header, first, index_at(indices, header->bits, first));
}

#define SKIP_NONZERO(TYPE)                                                                                             \
  while (i < count && ((const TYPE *)divisors)[i])                                                                     \
  i++

/* Returns the index of the first zero, `count` if there is none. */
static int64_t first_zero(const void *divisors, int64_t bits, int64_t count) {
  int64_t i = 0;
  if (bits == 8)
    SKIP_NONZERO(int8_t);
  else if (bits == 16)
    SKIP_NONZERO(int16_t);
  else if (bits == 32)
    SKIP_NONZERO(int32_t);
  else
    SKIP_NONZERO(int64_t);
  return i;
}

void mlc_host_check_nonzero(const void *divisors, const int64_t *integers) {
  const int64_t message = integers[0], bits = integers[1], rank = integers[2], *sizes = integers + 3;
  const int64_t count = count_elements(rank, sizes), at = first_zero(divisors, bits, count);
  if (at == count)
    return;
  size_t room, used = 0;
  char *detail = mlc_host_detail(&room);
  APPEND("the divisor");
  used = append_coordinates(detail, room, used, rank, sizes, at);
  APPEND(" is 0");
  mlc_host_fail_text(message, detail);
}
