/* What the functions on sequences have in common. */
#ifndef MLC_SEQUENCES_H
#define MLC_SEQUENCES_H

#include "objects/object_calls.h"

/* The sequence whose number a scalar holds. */
const mlc_sequence *mlc_sequence_of(const mlc_view *view);

/* A new element of `count` elements, its data of any contents. All of these end the call where there is no memory. */
mlc_element *mlc_sequence_new_element(int64_t element, int64_t rank, const int64_t *sizes, int64_t count);

/* The number of a new sequence, whose elements are to be filled in. */
int64_t mlc_sequence_new(int64_t count);

/* Ends the call where the element at a place has another type, or another rank. */
void mlc_sequence_check(const mlc_element *element, int64_t place, int64_t type, int64_t rank);

#endif
