/* Large blocks of outputs, kept for the next call. */
#ifndef MLC_KEPT_BLOCKS_H
#define MLC_KEPT_BLOCKS_H

#include <stddef.h>

enum { MLC_KEPT_ALIGNMENT = 64 };

/* A kept block of exactly `size` bytes, for the C library's `free`, or NULL. */
void *mlc_kept_take(size_t size);
/* Keeps a block of the C library, or frees it. */
void mlc_kept_release(void *memory, size_t size);

#endif
