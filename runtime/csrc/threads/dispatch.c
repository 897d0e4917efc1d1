/* Loops whose iterations threads take as they get to them: the dynamic schedule of LLVM's OpenMP interface.
 * Semantics: openmp/runtime/src/kmp_dispatch.cpp of LLVM, with guided parts. A processor that others use, or
 * that is slower, then does less; static parts would all wait for it. */
#include "mlc_runtime.h"

#include <sched.h>
#include <stdatomic.h>

/* SLOTS: how many loops the threads of one region may be apart. A thread takes 1/PARTS of its share of what is left,
 * so that few parts are taken and the last ones are small. */
enum { SLOTS = 8, PARTS = 2 };

_Thread_local struct mlc_loop mlc_loop;

static struct {
  _Alignas(64) _Atomic uint64_t next; /* the first iteration that no thread has */
  _Atomic int left;                   /* threads that found nothing more to take */
} slots[SLOTS];
static _Alignas(64) _Atomic uint64_t ended; /* loops of the region that all threads have left */

void mlc_loops_reset(void) { atomic_store_explicit(&ended, 0, memory_order_relaxed); }

static void loop_begin(uint64_t lower, uint64_t trip, uint64_t step, uint64_t chunk) {
  struct mlc_loop *loop = &mlc_loop;
  loop->lower = lower, loop->trip = trip, loop->step = step, loop->chunk = chunk;
  loop->taken = 0;
  while (mlc_team.size > 1 && loop->index >= SLOTS + atomic_load_explicit(&ended, memory_order_acquire))
    sched_yield();
}

static void loop_leave(struct mlc_loop *loop) {
  const uint64_t slot = loop->index++ % SLOTS;
  if (atomic_fetch_add(&slots[slot].left, 1) + 1 < mlc_team.size)
    return;
  atomic_store_explicit(&slots[slot].next, 0, memory_order_relaxed);
  atomic_store_explicit(&slots[slot].left, 0, memory_order_relaxed);
  atomic_fetch_add_explicit(&ended, 1, memory_order_release);
}

/* Takes iterations for the calling thread, from `*first` on; returns their count, 0 when none are left. */
static uint64_t loop_take(uint64_t *first) {
  struct mlc_loop *loop = &mlc_loop;
  if (mlc_team.size == 1) {
    *first = 0;
    return loop->taken++ ? 0 : loop->trip;
  }
  _Atomic uint64_t *next = &slots[loop->index % SLOTS].next;
  uint64_t count;
  *first = atomic_load_explicit(next, memory_order_relaxed);
  do {
    if (*first >= loop->trip) {
      loop_leave(loop);
      return 0;
    }
    const uint64_t rest = loop->trip - *first, part = rest / (PARTS * (uint64_t)mlc_team.size);
    count = part > loop->chunk ? part : loop->chunk < rest ? loop->chunk : rest;
  } while (!atomic_compare_exchange_weak(next, first, *first + count));
  return count;
}

/* Bounds are inclusive, steps are positive. */
#define DISPATCH(SUFFIX, BOUND, SIGNED)                                                                     \
  void mlc_kmpc_dispatch_init_##SUFFIX(void *location, int32_t thread, int32_t schedule, BOUND lower,       \
                                       BOUND upper, SIGNED step, SIGNED chunk) {                            \
    (void)location, (void)thread, (void)schedule;                                                           \
    const uint64_t pace = step < 1 ? 1 : (uint64_t)step;                                                    \
    const uint64_t trip = upper < lower ? 0 : (uint64_t)(upper - lower) / pace + 1;                         \
    loop_begin(lower, trip, pace, chunk < 1 ? 1 : (uint64_t)chunk);                                         \
  }                                                                                                         \
  int32_t mlc_kmpc_dispatch_next_##SUFFIX(void *location, int32_t thread, int32_t *last, BOUND *lower,      \
                                          BOUND *upper, SIGNED *stride) {                                   \
    (void)location, (void)thread;                                                                           \
    uint64_t first;                                                                                         \
    const uint64_t count = loop_take(&first);                                                               \
    if (count == 0)                                                                                         \
      return 0;                                                                                             \
    *last = first + count == mlc_loop.trip;                                                                 \
    *lower = (BOUND)(mlc_loop.lower + first * mlc_loop.step);                                               \
    *upper = (BOUND)(mlc_loop.lower + (first + count - 1) * mlc_loop.step);                                 \
    *stride = (SIGNED)mlc_loop.step;                                                                        \
    return 1;                                                                                               \
  }

DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8u, uint64_t, int64_t)
