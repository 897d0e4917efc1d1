/* What a C program does with a compiled model: call its entry, again and again. */
#include <stdint.h>

void call_loop(void (*entry)(void **buffers, int64_t *dims), void **buffers, int64_t *dims, int64_t calls) {
    for (int64_t i = 0; i < calls; i++) entry(buffers, dims);
}
