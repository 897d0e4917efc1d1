/* Functions that join the elements of a sequence along an axis, and split a tensor into a sequence. */
#include "objects/sequences.h"

#include <string.h>

static int64_t product(const int64_t *sizes, int64_t from, int64_t to) {
  int64_t result = 1;
  for (int64_t i = from; i < to; i++)
    result *= sizes[i];
  return result;
}

/* ---- joining -------------------------------------------------------------------------------- */

/* The size of an element along the axis, 1 for a new axis; fails the call where other sizes differ. */
static int64_t check_part(const mlc_element *first, const mlc_element *other, int64_t position, int64_t axis,
                          int64_t new_axis) {
  if (other->rank != first->rank)
    mlc_call_fail_with("element %lld of its sequence has rank %lld, element 0 has %lld", (long long)position,
                       (long long)other->rank, (long long)first->rank);
  for (int64_t i = 0; i < first->rank; i++)
    if ((new_axis || i != axis) && other->sizes[i] != first->sizes[i])
      mlc_call_fail_with("element %lld of its sequence has %lld elements along axis %lld, element 0 has %lld",
                         (long long)position, (long long)other->sizes[i], (long long)i, (long long)first->sizes[i]);
  return new_axis ? 1 : other->sizes[axis];
}

/* (sequence) {element type, axis, new_axis} -> the sizes of the elements joined along the axis. */
void mlc_call_sequence_joined_dims(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  const int64_t *options = mlc_read_call(buffers, scalars, 3, views, 2);
  const mlc_sequence *sequence = mlc_sequence_of(&views[0]);
  const int64_t axis = options[1], new_axis = options[2];
  int64_t *result = views[1].data, total = 0;
  if (!sequence->count)
    mlc_call_fail("its sequence is empty");
  const mlc_element *first = sequence->run->elements[0];
  mlc_sequence_check(first, 0, options[0], views[1].count - new_axis);
  for (int64_t i = 0; i < sequence->count; i++) {
    const mlc_element *other = sequence->run->elements[i];
    const int64_t part = check_part(first, other, i, axis, new_axis);
    mlc_sequence_check(other, i, options[0], first->rank);
    if (__builtin_add_overflow(total, part, &total))
      mlc_call_fail("the elements of its sequence are too large to be joined");
  }
  for (int64_t i = 0; i < views[1].count; i++)
    result[i] = i == axis ? total : first->sizes[new_axis && i > axis ? i - 1 : i];
}

/* (sequence, sizes) {axis} -> the elements joined along the axis, which must result in these sizes. */
void mlc_call_sequence_joined(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  const int64_t axis = *mlc_read_call(buffers, scalars, 1, views, 3);
  const mlc_sequence *sequence = mlc_sequence_of(&views[0]);
  const mlc_view *result = &views[2];
  const int64_t rows = product(result->sizes, 0, axis);
  const int64_t bytes = result->count * mlc_element_bytes(result->element);
  const int64_t whole = rows ? bytes / rows : 0;
  int64_t at = 0;
  for (int64_t i = 0; i < sequence->count; i++) {
    const mlc_element *element = sequence->run->elements[i];
    const int64_t part = rows ? element->bytes / rows : 0;
    if (part * rows != element->bytes || part > whole - at)
      mlc_call_fail("the elements of its sequence have other sizes than were read");
    for (int64_t row = 0; part && row < rows; row++)
      memcpy((char *)result->data + row * whole + at, (const char *)element->data + row * part, (size_t)part);
    at += part;
  }
  if (at != whole)
    mlc_call_fail("the elements of its sequence have other sizes than were read");
}

/* ---- splitting ------------------------------------------------------------------------------ */

/* A new element: the slice [start, start + length) of a tensor along an axis. */
static mlc_element *slice(const mlc_view *x, int64_t axis, int64_t start, int64_t length, bool keep) {
  int64_t sizes[64], rank = 0;
  for (int64_t i = 0; i < x->rank; i++)
    if (i != axis || keep)
      sizes[rank++] = i == axis ? length : x->sizes[i];
  const int64_t rows = product(x->sizes, 0, axis), inner = product(x->sizes, axis + 1, x->rank);
  mlc_element *made = mlc_sequence_new_element(x->element, rank, sizes, rows * length * inner);
  const int64_t row = inner * mlc_element_bytes(x->element);
  for (int64_t i = 0; made->bytes && i < rows; i++)
    memcpy((char *)made->data + i * length * row, (const char *)x->data + (i * x->sizes[axis] + start) * row,
           (size_t)(length * row));
  return made;
}

/* The number of parts; fails the call where the lengths are invalid. */
static int64_t count_parts(const mlc_view *lengths, int64_t size) {
  const int64_t *given = lengths->data;
  int64_t left = size;
  if (!lengths->rank) {
    if (given[0] < 1)
      mlc_call_fail_with("its parts have no elements: their length is %lld", (long long)given[0]);
    return size / given[0] + (size % given[0] != 0);
  }
  for (int64_t i = 0; i < lengths->count; i++) {
    if (given[i] < 0 || given[i] > left)
      mlc_call_fail_with("the lengths of its parts do not make up the dim of %lld that is split: part %lld has %lld",
                         (long long)size, (long long)i, (long long)given[i]);
    left -= given[i];
  }
  if (left)
    mlc_call_fail_with("the lengths of its parts do not make up the dim of %lld that is split: %lld are left",
                       (long long)size, (long long)left);
  return lengths->count;
}

/* (x, lengths) {axis, keep} -> the parts of x along the axis. A vector has the length of each part, a scalar that of
 * all, but the last may be shorter. Parts of one element lose the axis unless it is kept. */
void mlc_call_sequence_split(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  const int64_t *options = mlc_read_call(buffers, scalars, 2, views, 3);
  const mlc_view *x = &views[0], *lengths = &views[1];
  const int64_t axis = options[0], size = x->sizes[axis], count = count_parts(lengths, size);
  const int64_t id = mlc_sequence_new(count);
  for (int64_t i = 0, start = 0; i < count; i++) {
    int64_t length = ((const int64_t *)lengths->data)[lengths->rank ? i : 0];
    if (length > size - start)
      length = size - start;
    /* New elements do not move the sequences of the table. */
    mlc_call_get_sequence(id)->run->elements[i] = slice(x, axis, start, length, options[1]);
    start += length;
  }
  *(int64_t *)views[2].data = id;
}
