/* Forks while another thread is inside of the functions on kept blocks; the child must not wait for that thread. */
#define _GNU_SOURCE
#include "memory/kept_blocks.c"

#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, HELD_MICROSECONDS = 200000, MOST_SECONDS = 20 };

static void *hold(void *ready) {
  pthread_mutex_lock(&lock);
  assert(write(*(const int *)ready, "x", 1) == 1);
  usleep(HELD_MICROSECONDS);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  void *memory;
  int ready[2], status;
  char byte;
  pthread_t thread;
  assert(posix_memalign(&memory, MLC_KEPT_ALIGNMENT, BLOCK) == 0);
  mlc_kept_release(memory, BLOCK);
  assert(pipe(ready) == 0 && pthread_create(&thread, NULL, hold, &ready[1]) == 0 && read(ready[0], &byte, 1) == 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(MOST_SECONDS);
    _exit(mlc_kept_take(BLOCK) == memory ? 0 : 1);
  }
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  pthread_join(thread, NULL);
  assert(mlc_kept_take(BLOCK) == memory);
  puts("done");
  return 0;
}
