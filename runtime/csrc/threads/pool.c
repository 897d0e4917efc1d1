/* A thread pool with one parallel region at a time. Idle workers spin for a short while, so that
 * regions that follow each other start in about a microsecond, and then sleep. */
#define _GNU_SOURCE
#include "threads/gate.h"
#include "mlc_runtime.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
enum { SPIN_NANOSECONDS = 100 * 1000, STACK_BYTES = 8 << 20 };

INITIAL_EXEC _Thread_local struct mlc_team mlc_team = {0, 1};
static INITIAL_EXEC _Thread_local int thread_count = 1;

static struct {
  _Alignas(64) atomic_bool busy; /* the region that runs owns every field below */
  int workers;                   /* started so far: threads 1 to `workers` */
  bool stopping;
  int size; /* threads of the current region */
  mlc_task *task;
  void *context;
  _Atomic int64_t spin_nanoseconds;
  _Alignas(64) _Atomic int running; /* workers that have not finished the current region */
  _Alignas(64) _Atomic int arrived; /* threads that wait at the barrier */
  gate joined;
  gate barrier;
  gate start[MLC_MAX_THREADS];
  struct {
    _Alignas(64) atomic_bool free; /* whether nobody has begun the thread's part of the region */
  } parts[MLC_MAX_THREADS];
  pthread_t handles[MLC_MAX_THREADS];
} pool;

static pthread_once_t initialised = PTHREAD_ONCE_INIT;

static void pool_wait(gate *g, uint32_t seen) {
  gate_wait(g, seen, atomic_load_explicit(&pool.spin_nanoseconds, memory_order_relaxed));
}

/* Also the child's handler after fork: its threads are gone, and what they held is free again. */
static void pool_reset(void) {
  pool.workers = 0;
  pool.stopping = false;
  gate_init(&pool.joined);
  gate_init(&pool.barrier);
  atomic_store(&pool.arrived, 0);
  atomic_store(&pool.busy, false);
  for (int thread = 0; thread < MLC_MAX_THREADS; thread++)
    atomic_store(&pool.parts[thread].free, false);
  mlc_team = (struct mlc_team){0, 1};
}

static void pool_initialise(void) {
  pool_reset();
  pthread_atfork(NULL, NULL, pool_reset);
}

static bool pool_acquire(void) {
  pthread_once(&initialised, pool_initialise);
  return !atomic_exchange_explicit(&pool.busy, true, memory_order_acquire);
}

static void pool_release(void) { atomic_store_explicit(&pool.busy, false, memory_order_release); }

/* Claims the thread's part of the region; whether it was free. */
static bool take_part(int thread) { return atomic_exchange(&pool.parts[thread].free, false); }

static void *worker_main(void *argument) {
  const int self = (int)(intptr_t)argument;
  for (uint32_t seen = 0;;) {
    pool_wait(&pool.start[self], seen);
    /* Not one more: regions that ended without this thread are past. */
    seen = atomic_load(&pool.start[self].value);
    if (pool.stopping)
      return NULL;
    if (!take_part(self))
      continue;
    mlc_team = (struct mlc_team){self, pool.size};
    pool.task(self, pool.context);
    if (atomic_fetch_sub(&pool.running, 1) == 1)
      gate_advance(&pool.joined);
  }
}

static bool start_worker(int self) {
  pthread_attr_t attributes;
  sigset_t all, old;
  gate_init(&pool.start[self]);
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  /* Signals go to the program's own threads. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const int failed = pthread_create(&pool.handles[self], &attributes, worker_main, (void *)(intptr_t)self);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return !failed;
}

static int usable_cpus(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return MLC_MAX_THREADS;
  return CPU_COUNT(&set);
}

/* Starts workers up to thread `wanted` - 1; returns the region's size. */
static int ensure_workers(int wanted) {
  while (pool.workers < wanted - 1 && start_worker(pool.workers + 1))
    pool.workers++;
  return wanted - 1 <= pool.workers ? wanted : pool.workers + 1;
}

static void set_size(int size) {
  if (size == pool.size)
    return;
  pool.size = size;
  /* A thread that spins on a processor that another thread of the region needs only delays it. */
  atomic_store(&pool.spin_nanoseconds, size <= usable_cpus() ? SPIN_NANOSECONDS : 0);
}

/* Does the parts of threads that have not come yet, rather than wait for a processor that others use: no
 * thread is at a barrier, which needs all of them. Returns whether the region ended with them: otherwise the
 * last worker to finish advances `joined`. */
static bool do_free_parts(mlc_task *task, void *context) {
  int done = 0;
  for (int thread = 1; thread < pool.size; thread++) {
    if (!take_part(thread))
      continue;
    mlc_team.thread = thread;
    task(thread, context);
    done++;
  }
  return done && atomic_fetch_sub(&pool.running, done) == done;
}

static void run_region(mlc_task *task, void *context) {
  const uint32_t seen = atomic_load(&pool.joined.value);
  const int size = pool.size;
  pool.task = task;
  pool.context = context;
  atomic_store_explicit(&pool.running, size - 1, memory_order_relaxed);
  mlc_loops_reset();
  for (int thread = 1; thread < size; thread++) {
    atomic_store(&pool.parts[thread].free, true);
    gate_advance(&pool.start[thread]);
  }
  mlc_team = (struct mlc_team){0, size};
  task(0, context);
  const bool ended = do_free_parts(task, context);
  mlc_team = (struct mlc_team){0, 1};
  if (!ended)
    pool_wait(&pool.joined, seen);
}

static void run_alone(mlc_task *task, void *context) {
  const struct mlc_team outer = mlc_team;
  mlc_team = (struct mlc_team){0, 1};
  task(0, context);
  mlc_team = outer;
}

void mlc_pool_run(int threads, mlc_task *task, void *context) {
  if (threads <= 1 || mlc_team.size > 1 || !pool_acquire()) {
    run_alone(task, context);
    return;
  }
  const int size = ensure_workers(threads);
  if (size > 1) {
    set_size(size);
    run_region(task, context);
  } else {
    run_alone(task, context);
  }
  pool_release();
}

void mlc_pool_barrier(void) {
  if (mlc_team.size == 1)
    return;
  const uint32_t seen = atomic_load(&pool.barrier.value);
  if (atomic_fetch_add(&pool.arrived, 1) + 1 < mlc_team.size) {
    pool_wait(&pool.barrier, seen);
    return;
  }
  atomic_store(&pool.arrived, 0);
  gate_advance(&pool.barrier);
}

void mlc_pool_shutdown(void) {
  while (!pool_acquire())
    sched_yield();
  pool.stopping = true;
  for (int thread = 1; thread <= pool.workers; thread++)
    gate_advance(&pool.start[thread]);
  for (int thread = 1; thread <= pool.workers; thread++)
    pthread_join(pool.handles[thread], NULL);
  pool_reset();
}

void mlc_set_threads(int threads) {
  thread_count = threads < 1 ? 1 : threads > MLC_MAX_THREADS ? MLC_MAX_THREADS : threads;
}

int mlc_get_threads(void) { return thread_count; }
