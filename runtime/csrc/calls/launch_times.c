/* The times of kernels in a call of a profiled image, whose thunks (loader/thunks.c) come here for each launch. Host
 * programs launch kernels on the thread of the call, so that a call's times need no lock. */
#include "mlc_runtime.h"

#include <stdlib.h>
#include <string.h>

#include "threads/gate.h"

static _Thread_local mlc_launch_times *current;

static mlc_launch_record *new_record(const int64_t *dims, size_t dim_count) {
  mlc_launch_record *record = calloc(1, sizeof *record + dim_count * sizeof *dims);
  if (record && dim_count)
    memcpy(record->dims, dims, dim_count * sizeof *dims);
  if (record)
    record->dim_count = dim_count;
  return record;
}

bool mlc_launch_times_init(mlc_launch_times *times, size_t kernel_count, const size_t *dim_counts) {
  times->kernel_count = kernel_count;
  times->dim_counts = dim_counts;
  times->records = calloc(kernel_count + 1, sizeof *times->records);
  for (size_t i = 0; times->records && i < kernel_count; i++)
    if (!(times->records[i] = new_record(NULL, 0)))
      mlc_launch_times_free(times);
  return times->records != NULL;
}

void mlc_launch_times_free(mlc_launch_times *times) {
  for (size_t i = 0; times->records && i < times->kernel_count; i++)
    for (mlc_launch_record *record = times->records[i], *next; record; record = next) {
      next = record->next;
      free(record);
    }
  free(times->records);
  times->records = NULL;
}

mlc_launch_times *mlc_launch_times_use(mlc_launch_times *times) {
  mlc_launch_times *before = current;
  current = times;
  return before;
}

/* The kernel's record for these dims; the first one, without dims, where there are too many or there is no memory. */
static mlc_launch_record *find_record(mlc_launch_times *times, size_t kernel, const int64_t *dims) {
  mlc_launch_record *first = times->records[kernel], **link = &first->next;
  const size_t count = times->dim_counts[kernel];
  size_t known = 0;
  if (count == 0)
    return first;
  for (; *link; link = &(*link)->next, known++)
    if (memcmp((*link)->dims, dims, count * sizeof *dims) == 0)
      return *link;
  if (known < MLC_MOST_DIMS)
    *link = new_record(dims, count);
  return *link ? *link : first;
}

void mlc_launch_measured(void **buffers, int64_t *dims, size_t kernel, mlc_entry *entry) {
  if (!current) {
    entry(buffers, dims);
    return;
  }
  mlc_launch_record *record = find_record(current, kernel, dims);
  const int64_t start = now_nanoseconds();
  entry(buffers, dims);
  record->nanoseconds += now_nanoseconds() - start;
  record->launches++;
}
