/* Helpers of the functions on sequences. They fail the call when there is no memory. */
#ifndef MLC_SEQUENCES_H
#define MLC_SEQUENCES_H

#include "objects/object_calls.h"

/* The sequence whose id a scalar tensor holds. */
const mlc_sequence *mlc_sequence_of(const mlc_view *view);

/* A new tensor of `count` elements, with uninitialised data. */
mlc_element *mlc_sequence_new_element(int64_t element, int64_t rank, const int64_t *sizes, int64_t count);

/* The id of a new sequence, whose elements the caller fills in. */
int64_t mlc_sequence_new(int64_t count);

/* Fails the call if the element at `position` has another type or rank. */
void mlc_sequence_check(const mlc_element *element, int64_t position, int64_t type, int64_t rank);

#endif
