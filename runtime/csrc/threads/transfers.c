/* Copies that run concurrently with kernels: those between the memories of devices, which a host program starts
 * before it needs them. One thread does them, in the order in which they were started; a caller that waits for a copy
 * that has not begun yet does it itself. */
#define _GNU_SOURCE
#include "mlc_runtime.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(sizeof(mlc_transfer) <= MLC_TRANSFER_BYTES, "host-entry allocates MLC_TRANSFER_BYTES for a transfer");
enum { STACK_BYTES = 256 << 10 };
enum state { WAITING, RUNNING, DONE };

static struct {
  pthread_mutex_t mutex; /* owns every field below, and the transfers that are not done */
  pthread_cond_t started;
  pthread_cond_t ended;
  mlc_transfer *first;
  mlc_transfer **last;
  bool running; /* whether there is a thread */
  bool stopping;
  pthread_t thread;
} queue;

static pthread_once_t initialised = PTHREAD_ONCE_INIT;

/* Also the child's handler after fork: the thread is gone, and its queue with it. */
static void queue_reset(void) {
  pthread_mutex_init(&queue.mutex, NULL);
  pthread_cond_init(&queue.started, NULL);
  pthread_cond_init(&queue.ended, NULL);
  queue.first = NULL;
  queue.last = &queue.first;
  queue.running = queue.stopping = false;
}

static void queue_initialise(void) {
  queue_reset();
  pthread_atfork(NULL, NULL, queue_reset);
}

static void append(mlc_transfer *transfer) {
  transfer->next = NULL;
  *queue.last = transfer;
  queue.last = &transfer->next;
}

/* Removes a transfer from the queue, which contains it. */
static void take(mlc_transfer *transfer) {
  mlc_transfer **link = &queue.first;
  while (*link != transfer)
    link = &(*link)->next;
  *link = transfer->next;
  if (queue.last == &transfer->next)
    queue.last = link;
}

/* Needs the mutex, and releases it during the copy. */
static void run(mlc_transfer *transfer) {
  take(transfer);
  transfer->state = RUNNING;
  pthread_mutex_unlock(&queue.mutex);
  memcpy(transfer->target, transfer->source, (size_t)transfer->size);
  pthread_mutex_lock(&queue.mutex);
  transfer->state = DONE;
  pthread_cond_broadcast(&queue.ended);
}

static void *thread_main(void *unused) {
  (void)unused;
  pthread_mutex_lock(&queue.mutex);
  while (!queue.stopping) {
    if (queue.first)
      run(queue.first);
    else
      pthread_cond_wait(&queue.started, &queue.mutex);
  }
  pthread_mutex_unlock(&queue.mutex);
  return NULL;
}

/* Needs the mutex. */
static bool ensure_thread(void) {
  pthread_attr_t attributes;
  sigset_t all, old;
  if (queue.running || pthread_attr_init(&attributes) != 0)
    return queue.running;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  /* Signals go to the program's own threads. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  queue.running = pthread_create(&queue.thread, &attributes, thread_main, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return queue.running;
}

void mlc_transfer_start(mlc_transfer *transfer, void *target, const void *source, int64_t size) {
  transfer->target = target, transfer->source = source, transfer->size = size;
  transfer->state = WAITING;
  pthread_once(&initialised, queue_initialise);
  pthread_mutex_lock(&queue.mutex);
  /* A model that was given one thread gets no second one; its transfers are done when they are waited for. */
  const bool beside = mlc_get_threads() > 1 && ensure_thread();
  append(transfer);
  if (beside)
    pthread_cond_signal(&queue.started);
  pthread_mutex_unlock(&queue.mutex);
}

void mlc_transfer_wait(mlc_transfer *transfer) {
  pthread_mutex_lock(&queue.mutex);
  if (transfer->state == WAITING)
    run(transfer);
  while (transfer->state != DONE)
    pthread_cond_wait(&queue.ended, &queue.mutex);
  pthread_mutex_unlock(&queue.mutex);
}

void mlc_transfers_shutdown(void) {
  pthread_once(&initialised, queue_initialise);
  pthread_mutex_lock(&queue.mutex);
  const bool running = queue.running;
  queue.stopping = true;
  pthread_cond_signal(&queue.started);
  pthread_mutex_unlock(&queue.mutex);
  if (running)
    pthread_join(queue.thread, NULL);
  queue.running = queue.stopping = false;
}
