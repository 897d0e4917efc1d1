/* Functions that host programs with dynamic sizes call: memory, outputs, and the end of a call that fails. */
#define _GNU_SOURCE
#include "memory/host_memory.h"

#include <stdio.h>
#include <stdlib.h>

/* The user address space of x86-64. */
#define MOST_BYTES (INT64_C(1) << 47)

/* The innermost call of this thread. */
static _Thread_local mlc_host_call *running;
static _Thread_local uint64_t call_count;

/* An output of one 64-bit integer, listed in memory of the region. */
typedef struct mlc_integer_output {
  struct mlc_integer_output *next;
  const void *memory;
} mlc_integer_output;

bool mlc_host_run(mlc_host_call *call, mlc_entry *entry, void **buffers, int64_t *dims) {
  mlc_host_call *const outer = running;
  call->failure = MLC_HOST_OK;
  call->outer = outer;
  call->integer_outputs = NULL;
  call_count += !outer;
  mlc_region_begin(&call->region);
  running = call;
  if (setjmp(call->exit) == 0)
    entry(buffers, dims);
  running = outer;
  mlc_region_end(&call->region);
  return call->failure == MLC_HOST_OK;
}

void mlc_host_leave(mlc_host_call *call, enum mlc_host_failure failure, int64_t message, int64_t left,
                    int64_t right) {
  call->failure = failure;
  call->message = message, call->left = left, call->right = right;
  longjmp(call->exit, 1);
}

static mlc_host_call *current(void) {
  if (!running) /* called outside of an entry */
    abort();
  return running;
}

static void check_bytes(mlc_host_call *call, int64_t bytes) {
  if (bytes < 0 || bytes > MOST_BYTES)
    mlc_host_leave(call, MLC_HOST_SIZE, 0, bytes, 0);
}

void *mlc_host_allocate(int64_t bytes) {
  mlc_host_call *call = current();
  check_bytes(call, bytes);
  void *memory = mlc_region_allocate(&call->region, (size_t)bytes);
  if (!memory)
    mlc_host_leave(call, MLC_HOST_MEMORY, 0, bytes, 0);
  return memory;
}

void mlc_host_release(void *memory) { mlc_region_release(&current()->region, memory); }

void *mlc_host_output(int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes) {
  mlc_host_call *call = current();
  check_bytes(call, bytes);
  void *memory = call->output(call, index, rank, sizes, bytes);
  if (bytes == sizeof(int64_t)) {
    mlc_integer_output *made = mlc_host_allocate(sizeof *made);
    *made = (mlc_integer_output){call->integer_outputs, memory};
    call->integer_outputs = made;
  }
  return memory;
}

void mlc_host_each_memory(mlc_visit *visit, void *context) {
  for (const mlc_host_call *call = running; call; call = call->outer) {
    mlc_region_each(&call->region, visit, context);
    for (const mlc_integer_output *output = call->integer_outputs; output; output = output->next)
      visit(context, output->memory, sizeof(int64_t));
  }
}

size_t mlc_host_live_bytes(void) {
  size_t bytes = 0;
  for (const mlc_host_call *call = running; call; call = call->outer)
    bytes += call->region.live;
  return bytes;
}

uint64_t mlc_host_call_id(void) { return running ? call_count : 0; }

void mlc_host_mismatch(int64_t left, int64_t right, int64_t message) {
  mlc_host_leave(current(), MLC_HOST_MISMATCH, message, left, right);
}

void mlc_host_fail(int64_t message) { mlc_host_leave(current(), MLC_HOST_MESSAGE, message, 0, 0); }

void mlc_host_fail_text(int64_t message, const char *text) {
  mlc_host_call *call = current();
  call->text = text;
  mlc_host_leave(call, MLC_HOST_TEXT, message, 0, 0);
}

char *mlc_host_detail(size_t *room) {
  mlc_host_call *call = current();
  *room = sizeof call->detail;
  return call->detail;
}

void mlc_host_too_large(int64_t message, int64_t rank, const int64_t *sizes) {
  mlc_host_call *call = current();
  const int room = sizeof call->detail;
  int used = snprintf(call->detail, (size_t)room, "no memory can hold a tensor of shape (");
  for (int64_t i = 0; i < rank && used < room; i++)
    used += snprintf(call->detail + used, (size_t)(room - used), "%lld%s", (long long)sizes[i],
                     i + 1 < rank ? ", " : rank == 1 ? ",)" : ")");
  mlc_host_fail_text(message, call->detail);
}

void *mlc_host_output_memory(mlc_host_call *call, int64_t bytes) {
  void *memory;
  if (posix_memalign(&memory, 64, bytes ? (size_t)bytes : 1) != 0)
    mlc_host_leave(call, MLC_HOST_MEMORY, 0, bytes, 0);
  return memory;
}

bool mlc_host_dense(int64_t rank, const int64_t *sizes, int64_t item_size, int64_t bytes) {
  int64_t size = item_size;
  for (int64_t i = 0; i < rank; i++)
    if (sizes[i] < 0 || __builtin_mul_overflow(size, sizes[i], &size))
      return false;
  return size == bytes;
}
