/* Calls of host programs with dynamic sizes: their memory, and how they fail. */
#ifndef MLC_HOST_MEMORY_H
#define MLC_HOST_MEMORY_H

#include <setjmp.h>

#include "mlc_runtime.h"

/* ---- region.c ------------------------------------------------------------------------------- */

typedef struct mlc_block mlc_block;

/* Memory that is kept between calls, for one call at a time. Blocks that do not fit come from the C library, and the
 * region grows by their bytes before the next call. Begins as zeros. */
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
  MLC_HOST_MESSAGE,  /* message `message` of the manifest */
  MLC_HOST_MISMATCH, /* the same, with the sizes `left` and `right` */
  MLC_HOST_MEMORY,   /* there are no `left` bytes */
  MLC_HOST_SIZE,     /* nothing has `left` bytes */
  MLC_HOST_OUTPUT,   /* the caller gave output `left` another shape */
  MLC_HOST_TEXT,     /* `text`, of the op that message `message` names */
  MLC_HOST_BROKEN,   /* the code does not ask for output `left` as it must */
};

typedef struct mlc_host_call mlc_host_call;

/* A running call, begun as zeros but for `output`, which gives the memory of an output or leaves the call. */
struct mlc_host_call {
  mlc_region region;
  mlc_host_call *outer; /* the call that this one is nested in */
  struct mlc_integer_output *integer_outputs;
  void *(*output)(mlc_host_call *call, int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes);
  enum mlc_host_failure failure;
  int64_t message, left, right;
  const char *text;
  char detail[256]; /* a formatted `text` */
  jmp_buf exit;
};

/* Runs the entry, which may call the functions below; true if it was not left. Calls may run at the same time
 * on several threads, and inside each other. Only the thread that runs the entry may leave it, while no
 * transfer is in flight. */
bool mlc_host_run(mlc_host_call *call, mlc_entry *entry, void **buffers, int64_t *dims);

/* Ends the call, which fails. */
_Noreturn void mlc_host_leave(mlc_host_call *call, enum mlc_host_failure failure, int64_t message, int64_t left,
                              int64_t right);

/* Visits all memory of the calls that run on this thread that may hold a 64-bit id that an op needs; of the outputs
 * those of one 64-bit integer. */
void mlc_host_each_memory(mlc_visit *visit, void *context);
/* The bytes of this memory that are allocated, without outputs; 0 if no call runs. */
size_t mlc_host_live_bytes(void);
/* The id of the outermost call that runs on this thread, from 1 on; 0 if none does. */
uint64_t mlc_host_call_id(void);

/* Fails the running call with a text that stays. */
_Noreturn void mlc_host_fail_text(int64_t message, const char *text);
/* Where a text of the running call can be written. */
char *mlc_host_detail(size_t *room);

/* `bytes` of 64-byte aligned memory for an output. Leaves the call when there is none. */
void *mlc_host_output_memory(mlc_host_call *call, int64_t bytes);

/* Whether `bytes` is what a dense array of these sizes takes. */
bool mlc_host_dense(int64_t rank, const int64_t *sizes, int64_t item_size, int64_t bytes);

#endif
