/* Synchronisation of the threads of the pool. */
#ifndef MLC_GATE_H
#define MLC_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A counter that threads wait on until it changes. */
typedef struct {
  _Alignas(64) _Atomic uint32_t value;
  _Atomic uint32_t sleepers;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} gate;

static inline void gate_init(gate *g) {
  atomic_init(&g->value, 0);
  atomic_init(&g->sleepers, 0);
  pthread_mutex_init(&g->mutex, NULL);
  pthread_cond_init(&g->changed, NULL);
}

static inline void pause_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static inline int64_t now_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline bool gate_changed(gate *g, uint32_t seen) {
  return atomic_load_explicit(&g->value, memory_order_acquire) != seen;
}

static inline bool gate_spin(gate *g, uint32_t seen, int64_t limit) {
  const int64_t begin = now_nanoseconds();
  do {
    for (int i = 0; i < 16; i++) {
      if (gate_changed(g, seen))
        return true;
      pause_cpu();
    }
  } while (now_nanoseconds() - begin < limit);
  return false;
}

/* Waits until the counter is no longer `seen`: spins for as long as the limit says, then sleeps. */
static inline void gate_wait(gate *g, uint32_t seen, int64_t spin_nanoseconds) {
  if (gate_changed(g, seen) || gate_spin(g, seen, spin_nanoseconds))
    return;
  pthread_mutex_lock(&g->mutex);
  /* Sequentially consistent with gate_advance: either it sees this sleeper or we see its value. */
  atomic_fetch_add(&g->sleepers, 1);
  while (atomic_load(&g->value) == seen)
    pthread_cond_wait(&g->changed, &g->mutex);
  atomic_fetch_sub(&g->sleepers, 1);
  pthread_mutex_unlock(&g->mutex);
}

/* Only one thread at a time advances a gate. */
static inline void gate_advance(gate *g) {
  atomic_store(&g->value, atomic_load_explicit(&g->value, memory_order_relaxed) + 1);
  if (atomic_load(&g->sleepers) == 0)
    return;
  pthread_mutex_lock(&g->mutex);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}

#endif
