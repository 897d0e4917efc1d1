/* Large memory of programs. */
#ifndef MLC_PAGES_H
#define MLC_PAGES_H

#include <stddef.h>

/* Whole pages, huge ones from 4 MiB on if the system has them, for the C library's `free`; NULL when there are none. */
void *mlc_pages_allocate(size_t bytes);

#endif
