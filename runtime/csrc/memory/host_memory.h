/* Calls of host programs whose sizes are known only when they run: their memory, and how they fail. */
#ifndef MLC_HOST_MEMORY_H
#define MLC_HOST_MEMORY_H

#include <setjmp.h>

#include "mlc_runtime.h"

/* ---- region.c ------------------------------------------------------------------------------- */

typedef struct mlc_block mlc_block;

/* Memory that is kept between calls, one call at a time. What does not fit comes from the C library, and the
 * region grows by as much before the next call. Begins as zeros. */
typedef struct mlc_region {
  char *memory;
  size_t size, wanted;
  mlc_block *free, *outside;
  size_t live, peak; /* bytes of this call, with those outside */
  size_t outside_live, outside_peak;
} mlc_region;

void mlc_region_begin(mlc_region *region);
/* 64-byte aligned memory of any contents; NULL when there is none. */
void *mlc_region_allocate(mlc_region *region, size_t bytes);
void mlc_region_release(mlc_region *region, void *memory);
/* Takes back what the call has not released. */
void mlc_region_end(mlc_region *region);
void mlc_region_free(mlc_region *region);

/* Called with memory that is allocated. */
typedef void mlc_visit(void *context, const void *memory, size_t bytes);
void mlc_region_each(const mlc_region *region, mlc_visit *visit, void *context);

/* ---- host_memory.c -------------------------------------------------------------------------- */

enum mlc_host_failure {
  MLC_HOST_OK,
  MLC_HOST_MESSAGE,  /* the manifest's message of that number */
  MLC_HOST_MISMATCH, /* the same, with the numbers `left` and `right` */
  MLC_HOST_MEMORY,   /* there are no `left` bytes */
  MLC_HOST_SIZE,     /* nothing has `left` bytes */
  MLC_HOST_OUTPUT,   /* output `left` was given another shape */
  MLC_HOST_TEXT,     /* `text`, of an op that the manifest's message of that number names */
  MLC_HOST_BROKEN,   /* the code does not ask for output `left` as it must */
};

typedef struct mlc_host_call mlc_host_call;

/* A running call, begun as zeros but for `output`, which gives the memory of an output or leaves the call. */
struct mlc_host_call {
  mlc_region region;
  mlc_host_call *outer; /* that this one runs inside of */
  struct mlc_number_output *number_outputs;
  void *(*output)(mlc_host_call *call, int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes);
  enum mlc_host_failure failure;
  int64_t message, left, right;
  const char *text;
  char detail[256]; /* where a text is made that has numbers */
  jmp_buf exit;
};

/* Runs the entry, which may call the functions below; true if it was not left. Calls may run at the same time
 * on several threads, and inside each other. Only the thread that runs the entry may leave it, while no
 * transfer is under way. */
bool mlc_host_run(mlc_host_call *call, mlc_entry *entry, void **buffers, int64_t *dims);

/* Ends the call, which fails. */
_Noreturn void mlc_host_leave(mlc_host_call *call, enum mlc_host_failure failure, int64_t message, int64_t left,
                              int64_t right);

/* All memory of the calls that run on this thread in which a number of 64 bits may lie that an op needs; outputs
 * only where they are one number. */
void mlc_host_each_memory(mlc_visit *visit, void *context);
/* How much it is; 0 if no call runs. */
size_t mlc_host_live_bytes(void);
/* The number of the outermost call that runs on this thread, from 1 on; 0 if none does. */
uint64_t mlc_host_call_number(void);

/* Fails the running call with a text that stays. */
_Noreturn void mlc_host_fail_text(int64_t message, const char *text);

/* `bytes` of 64-byte aligned memory for an output. Leaves the call when there is none. */
void *mlc_host_output_memory(mlc_host_call *call, int64_t bytes);

/* Whether `bytes` is what a dense array of these sizes takes. */
bool mlc_host_dense(int64_t rank, const int64_t *sizes, int64_t item_size, int64_t bytes);

#endif
