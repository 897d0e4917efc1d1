/* An entry that calls another one again and again: buffers are its address, its buffers, its dims, and how
 * often. */
#include <stdint.h>

void entry_loop(void **buffers, int64_t *dims) {
    (void)dims;
    void (*entry)(void **, int64_t *) = (void (*)(void **, int64_t *))buffers[0];
    for (int64_t i = 0; i < (int64_t)buffers[3]; i++) entry((void **)buffers[1], (int64_t *)buffers[2]);
}
