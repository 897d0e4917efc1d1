/* The C runtime of compiled models: a thread pool, the OpenMP entry points that MLIR's code calls,
 * and a loader of relocatable objects. Everything here is private to the library that holds it. */
#ifndef MLC_RUNTIME_H
#define MLC_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MLC_MAX_THREADS 256

/* The uniform shape of compiled code (docs/architecture.md, "The three contracts"). */
typedef void mlc_entry(void **buffers, int64_t *dims);

/* ---- pool.c ------------------------------------------------------------------------------- */

/* The index of the running thread in the team of its parallel region; {0, 1} outside of one. */
struct mlc_team {
  int thread;
  int size;
};
extern _Thread_local struct mlc_team mlc_team;

typedef void mlc_task(int thread, void *context);

/* Sets how many threads the parallel regions entered by the calling thread use (1 to 256; others are
 * clamped). It holds for this thread only, until the next call; the initial value is 1. */
void mlc_set_threads(int threads);
int mlc_get_threads(void);

/* Runs task(0..n-1, context), each on a separate thread, n <= threads; task 0 runs on the caller.
 * Runs task(0, context) alone when the pool is in use or no worker can be started. */
void mlc_pool_run(int threads, mlc_task *task, void *context);

/* Returns when all threads of the caller's region have called it. */
void mlc_pool_barrier(void);

/* Ends the worker threads. A later mlc_pool_run starts new ones. */
void mlc_pool_shutdown(void);

/* ---- kmpc.c: what convert-scf-to-openmp's code calls, under private names ------------------- */

void mlc_kmpc_fork_call(void *location, int32_t count, void *microtask, ...);
int32_t mlc_kmpc_global_thread_num(void *location);
void mlc_kmpc_barrier(void *location, int32_t thread);
void mlc_kmpc_for_static_fini(void *location, int32_t thread);
void mlc_kmpc_for_static_init_4(void *, int32_t, int32_t, int32_t *, int32_t *, int32_t *, int32_t *,
                                int32_t, int32_t);
void mlc_kmpc_for_static_init_4u(void *, int32_t, int32_t, int32_t *, uint32_t *, uint32_t *, int32_t *,
                                 int32_t, int32_t);
void mlc_kmpc_for_static_init_8(void *, int32_t, int32_t, int32_t *, int64_t *, int64_t *, int64_t *,
                                int64_t, int64_t);
void mlc_kmpc_for_static_init_8u(void *, int32_t, int32_t, int32_t *, uint64_t *, uint64_t *, int64_t *,
                                 int64_t, int64_t);

/* ---- dispatch.c ----------------------------------------------------------------------------- */

/* The dynamic loop that a thread is in; `index` counts those of its region. */
struct mlc_loop {
  uint64_t index;
  uint64_t lower, trip, step, chunk;
  int taken; /* by a team of one */
};
extern _Thread_local struct mlc_loop mlc_loop;

/* Before the threads of a region start. */
void mlc_loops_reset(void);

void mlc_kmpc_dispatch_init_4u(void *, int32_t, int32_t, uint32_t, uint32_t, int32_t, int32_t);
void mlc_kmpc_dispatch_init_8u(void *, int32_t, int32_t, uint64_t, uint64_t, int64_t, int64_t);
int32_t mlc_kmpc_dispatch_next_4u(void *, int32_t, int32_t *, uint32_t *, uint32_t *, int32_t *);
int32_t mlc_kmpc_dispatch_next_8u(void *, int32_t, int32_t *, uint64_t *, uint64_t *, int64_t *);

/* ---- transfers.c ---------------------------------------------------------------------------- */

/* A copy that a host program has started. The caller provides its memory, MLC_TRANSFER_BYTES, until
 * mlc_transfer_wait has returned. */
#define MLC_TRANSFER_BYTES 40
typedef struct mlc_transfer {
  void *target;
  const void *source;
  int64_t size;
  int64_t state;
  struct mlc_transfer *next;
} mlc_transfer;

/* Before mlc_transfer_wait has returned the source must not be written, and the target neither read nor written.
 * A transfer is waited for once, by the thread that has started it. */
void mlc_transfer_start(mlc_transfer *transfer, void *target, const void *source, int64_t size);
void mlc_transfer_wait(mlc_transfer *transfer);

/* Ends the thread, when no transfer is in flight. A later mlc_transfer_start starts a new one. */
void mlc_transfers_shutdown(void);

/* ---- check_data.c ----------------------------------------------------------------------------- */

/* Fails the call, as mlc_host_fail, for the first index that is out of range. `integers` are the index of the message,
 * the bits of an index (32 or 64), the first of the indexed axes, whether negative indices are out of range (they count
 * from the end otherwise), the rank of the indices, the number of columns, the sizes of the indices, and the size of
 * each column's axis. With several columns, each index along the last dim is in another one. */
void mlc_host_check_indices(const void *indices, const int64_t *integers);
/* The same for the first divisor that is 0. `integers` are the index of the message, the bits of a divisor (8 to 64),
 * the rank of the divisors, and their sizes. */
void mlc_host_check_nonzero(const void *divisors, const int64_t *integers);

/* ---- host_memory.c: what entries with dynamic sizes call --------------------------------------- */

/* 64-byte aligned memory of this call, of any contents; for 0 bytes a valid address too. */
void *mlc_host_allocate(int64_t bytes);
/* The memory may be given out again in this call. */
void mlc_host_release(void *memory);
/* The memory of output `index`, dense, of these sizes. Called once for each output. */
void *mlc_host_output(int64_t index, int64_t rank, const int64_t *sizes, int64_t bytes);
/* Fails the call; the entry goes no further. `message` is the index of one of the manifest's messages. */
_Noreturn void mlc_host_fail(int64_t message);
/* The same because two sizes differ; they follow the message. */
_Noreturn void mlc_host_mismatch(int64_t left, int64_t right, int64_t message);
/* The same because a tensor has sizes that no memory holds; they follow the message. */
_Noreturn void mlc_host_too_large(int64_t message, int64_t rank, const int64_t *sizes);

/* ---- launch_times.c ------------------------------------------------------------------------- */

/* The launches of one kernel with the same dims. `dims` is empty if the kernel has none, and for launches with further
 * dims after the first MLC_MOST_DIMS. */
typedef struct mlc_launch_record {
  struct mlc_launch_record *next;
  int64_t launches, nanoseconds;
  size_t dim_count;
  int64_t dims[];
} mlc_launch_record;
enum { MLC_MOST_DIMS = 64 };

/* The measured launches of one call: a list of records for each of the image's measured kernels. */
typedef struct {
  size_t kernel_count;
  const size_t *dim_counts; /* of each kernel */
  mlc_launch_record **records;
} mlc_launch_times;

/* False if there is no memory. `dim_counts` must stay. */
bool mlc_launch_times_init(mlc_launch_times *times, size_t kernel_count, const size_t *dim_counts);
void mlc_launch_times_free(mlc_launch_times *times);
/* Adds this thread's launches to `times` from now on, to none if NULL. Returns what they were added to before. */
mlc_launch_times *mlc_launch_times_use(mlc_launch_times *times);
/* What thunks of measured kernels call: launches the kernel with this index, and adds its time. */
void mlc_launch_measured(void **buffers, int64_t *dims, size_t kernel, mlc_entry *entry);

/* ---- cpuid.c ------------------------------------------------------------------------------- */

/* Whether this processor has a feature and the operating system saves its registers: "NAME=7.0.ebx.16:e6" is bit 16 of
 * CPUID's leaf 7 (hexadecimal), subleaf 0, with these bits of XCR0. False for text that is no such check. */
bool mlc_cpu_has(const char *check);

/* ---- loader.c ------------------------------------------------------------------------------ */

typedef struct mlc_image mlc_image;

/* What an image is made of: relocatable x86-64 ELF objects; `libraries`, handles of dlopen that must stay open as long
 * as the code may run; and the names of kernels whose launches from other objects are measured. */
typedef struct {
  const void **objects;
  const size_t *sizes;
  size_t count;
  void *const *libraries;
  size_t library_count;
  const char *const *measured;
  size_t measured_count;
} mlc_image_parts;

/* Links the objects into one mapping of this process: code is executable and read-only, constants are read-only.
 * Undefined symbols come from the table in symbols.c, then from the libraries. On failure returns NULL and writes a
 * message to `error`. The parts may be freed afterwards. */
mlc_image *mlc_image_load(const mlc_image_parts *parts, char *error, size_t error_size);

/* The address of a global symbol that the objects define, or NULL. */
void *mlc_image_symbol(const mlc_image *image, const char *name);

void mlc_image_free(mlc_image *image);

#endif
