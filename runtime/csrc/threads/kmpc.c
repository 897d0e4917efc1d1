/* The part of LLVM's OpenMP interface that MLIR's convert-scf-to-openmp and convert-openmp-to-llvm use.
 * Semantics: openmp/runtime/src/kmp_sched.cpp of LLVM; static schedules; dispatch.c has dynamic ones. */
#include "mlc_runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ARGUMENTS = 8, SCHEDULE_STATIC_CHUNKED = 33 };

typedef void microtask_0(int32_t *, int32_t *);
typedef void microtask_1(int32_t *, int32_t *, void *);
typedef void microtask_8(int32_t *, int32_t *, void *, void *, void *, void *, void *, void *, void *, void *);

typedef struct {
  void *microtask;
  int32_t count;
  void *arguments[MAX_ARGUMENTS];
} call;

static void run_call(int thread, void *context) {
  const call *c = context;
  void *const *a = c->arguments;
  int32_t global = thread, bound = thread;
  const struct mlc_loop outer = mlc_loop;
  mlc_loop = (struct mlc_loop){0};
  /* The System V and AArch64 conventions let a callee ignore surplus arguments. */
  if (c->count == 0)
    ((microtask_0 *)c->microtask)(&global, &bound);
  else if (c->count == 1)
    ((microtask_1 *)c->microtask)(&global, &bound, a[0]);
  else
    ((microtask_8 *)c->microtask)(&global, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
  mlc_loop = outer;
}

void mlc_kmpc_fork_call(void *location, int32_t count, void *microtask, ...) {
  (void)location;
  if (count < 0 || count > MAX_ARGUMENTS) {
    fprintf(stderr, "mlc: a parallel region with %d arguments; at most %d are supported\n", (int)count,
            MAX_ARGUMENTS);
    abort();
  }
  call c = {.microtask = microtask, .count = count};
  va_list arguments;
  va_start(arguments, microtask);
  for (int32_t i = 0; i < count; i++)
    c.arguments[i] = va_arg(arguments, void *);
  va_end(arguments);
  mlc_pool_run(mlc_get_threads(), run_call, &c);
}

int32_t mlc_kmpc_global_thread_num(void *location) {
  (void)location;
  return mlc_team.thread;
}

void mlc_kmpc_barrier(void *location, int32_t thread) {
  (void)location, (void)thread;
  mlc_pool_barrier();
}

void mlc_kmpc_for_static_fini(void *location, int32_t thread) { (void)location, (void)thread; }

/* One thread's part of `trip` iterations: the first one and how many. Parts differ by at most one. */
static uint64_t static_part(uint64_t trip, uint64_t *first) {
  const uint64_t thread = (uint64_t)mlc_team.thread, size = (uint64_t)mlc_team.size;
  const uint64_t quotient = trip / size, rest = trip % size;
  *first = thread * quotient + (thread < rest ? thread : rest);
  return quotient + (thread < rest);
}

/* Bounds are inclusive. In unsigned arithmetic an empty loop may also be written [0, max]: the code that
 * OpenMPIRBuilder emits passes trip - 1 for trip = 0 and computes upper - lower + 1 afterwards. Hence the
 * wrap-around of the sums below is intended, and an empty part is returned as lower = upper + step. */
#define STATIC_INIT(NAME, BOUND, UNSIGNED, SIGNED)                                                       \
  void NAME(void *location, int32_t thread, int32_t schedule, int32_t *last, BOUND *lower, BOUND *upper, \
            SIGNED *stride, SIGNED step, SIGNED chunk) {                                                 \
    (void)location, (void)thread;                                                                        \
    const UNSIGNED low = (UNSIGNED)*lower, high = (UNSIGNED)*upper;                                      \
    const UNSIGNED span = step > 0 ? high - low : low - high;                                            \
    const UNSIGNED pace = step > 0 ? (UNSIGNED)step : (UNSIGNED)0 - (UNSIGNED)step;                      \
    const int empty = step > 0 ? *upper < *lower : *lower < *upper;                                      \
    *last = 0;                                                                                           \
    *stride = step;                                                                                      \
    if (empty || step == 0)                                                                              \
      return;                                                                                            \
    const UNSIGNED trip = (UNSIGNED)(span / pace + 1);                                                   \
    if (schedule == SCHEDULE_STATIC_CHUNKED) {                                                           \
      const UNSIGNED length = chunk < 1 ? 1 : (UNSIGNED)chunk;                                           \
      const UNSIGNED reach = length * (UNSIGNED)step;                                                    \
      *stride = (SIGNED)(reach * (UNSIGNED)mlc_team.size);                                               \
      *lower = (BOUND)(low + reach * (UNSIGNED)mlc_team.thread);                                         \
      *upper = (BOUND)((UNSIGNED)*lower + reach - (UNSIGNED)step);                                       \
      *last = trip && (UNSIGNED)mlc_team.thread == (trip - 1) / length % (UNSIGNED)mlc_team.size;        \
      return;                                                                                            \
    }                                                                                                    \
    uint64_t first;                                                                                      \
    const uint64_t count = static_part(trip, &first);                                                    \
    *stride = (SIGNED)trip;                                                                              \
    *last = count != 0 && first + count == trip;                                                         \
    *lower = (BOUND)(count ? low + (UNSIGNED)first * (UNSIGNED)step : high + (UNSIGNED)step);            \
    *upper = (BOUND)(count ? (UNSIGNED)*lower + (UNSIGNED)(count - 1) * (UNSIGNED)step : high);          \
  }

STATIC_INIT(mlc_kmpc_for_static_init_4, int32_t, uint32_t, int32_t)
STATIC_INIT(mlc_kmpc_for_static_init_4u, uint32_t, uint32_t, int32_t)
STATIC_INIT(mlc_kmpc_for_static_init_8, int64_t, uint64_t, int64_t)
STATIC_INIT(mlc_kmpc_for_static_init_8u, uint64_t, uint64_t, int64_t)
