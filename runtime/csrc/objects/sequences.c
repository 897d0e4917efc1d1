/* Functions on sequences, which host programs call. Sequences are immutable: a function that inserts returns a new
 * one that shares the elements. */
#include "objects/sequences.h"

#include <string.h>

const mlc_sequence *mlc_sequence_of(const mlc_view *view) {
  return mlc_call_get_sequence(*(const int64_t *)view->data);
}

mlc_element *mlc_sequence_new_element(int64_t element, int64_t rank, const int64_t *sizes, int64_t count) {
  mlc_element *made = mlc_objects_element(mlc_call_objects(), element, rank, sizes, count * mlc_element_bytes(element));
  if (!made)
    mlc_call_no_memory();
  return made;
}

int64_t mlc_sequence_new(int64_t count) {
  const int64_t id = mlc_objects_sequence(mlc_call_objects(), count);
  if (id < 0)
    mlc_call_no_memory();
  return id;
}

void mlc_sequence_check(const mlc_element *element, int64_t position, int64_t type, int64_t rank) {
  const long long index = (long long)position;
  if (element->element != type)
    mlc_call_fail_with("element %lld of its sequence has another type than the model says", index);
  if (element->rank != rank)
    mlc_call_fail_with("element %lld of its sequence has rank %lld, the model says %lld", index,
                       (long long)element->rank, (long long)rank);
}

/* Reads a position up to `most`, of which negative ones count from the end, as an index from the start. */
static int64_t read_position(const mlc_view *view, int64_t count, int64_t most) {
  const int64_t position = *(const int64_t *)view->data;
  if (position < -count || position > most)
    mlc_call_fail_with("the sequence, or optional, has no element at position %lld, its length is %lld",
                       (long long)position, (long long)count);
  return position < 0 ? position + count : position;
}

/* The element at a position, which must have the type and the rank; `found` is its index from the start. */
static const mlc_element *element_at(const mlc_view *sequence, const mlc_view *position, int64_t type, int64_t rank,
                                     int64_t *found) {
  const mlc_sequence *all = mlc_sequence_of(sequence);
  *found = read_position(position, all->count, all->count - 1);
  mlc_sequence_check(all->run->elements[*found], *found, type, rank);
  return all->run->elements[*found];
}

static mlc_element *copy_element(const mlc_view *x) {
  mlc_element *made = mlc_sequence_new_element(x->element, x->rank, x->sizes, x->count);
  if (made->bytes)
    memcpy(made->data, x->data, (size_t)made->bytes);
  return made;
}

/* (sequence) -> its length. */
void mlc_call_sequence_length(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  mlc_read_call(buffers, scalars, 0, views, 2);
  *(int64_t *)views[1].data = mlc_sequence_of(&views[0])->count;
}

/* (sequence, other) -> their length, which must be equal. */
void mlc_call_sequence_common_length(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const int64_t count = mlc_sequence_of(&views[0])->count, other = mlc_sequence_of(&views[1])->count;
  if (count != other)
    mlc_call_fail_with("its sequences have different lengths, %lld and %lld", (long long)count, (long long)other);
  *(int64_t *)views[2].data = count;
}

/* (sequence, x) -> the sequence with x at its end. */
void mlc_call_sequence_append(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  mlc_element *made = copy_element(&views[1]);
  /* A copy: new sequences may move those of the table. */
  const mlc_sequence before = *mlc_sequence_of(&views[0]);
  const int64_t id = mlc_objects_append(mlc_call_objects(), &before, made);
  if (id < 0)
    mlc_call_no_memory();
  *(int64_t *)views[2].data = id;
}

/* (sequence, x, position) -> the sequence with x before the element at the position. */
void mlc_call_sequence_insert(void **buffers, int64_t *scalars) {
  mlc_view views[4];
  mlc_read_call(buffers, scalars, 0, views, 4);
  const mlc_sequence before = *mlc_sequence_of(&views[0]);
  const int64_t position = read_position(&views[2], before.count, before.count);
  mlc_element *made = copy_element(&views[1]);
  const int64_t id = mlc_sequence_new(before.count + 1);
  mlc_element **elements = mlc_call_get_sequence(id)->run->elements;
  elements[position] = made;
  for (int64_t i = 0; i < before.count; i++)
    elements[i < position ? i : i + 1] = before.run->elements[i];
  *(int64_t *)views[3].data = id;
}

/* (sequence, position) -> the sequence without the element at the position. */
void mlc_call_sequence_erase(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const mlc_sequence before = *mlc_sequence_of(&views[0]);
  const int64_t position = read_position(&views[1], before.count, before.count - 1);
  const int64_t id = mlc_sequence_new(before.count - 1);
  for (int64_t i = 0; i < before.count - 1; i++)
    mlc_call_get_sequence(id)->run->elements[i] = before.run->elements[i < position ? i : i + 1];
  *(int64_t *)views[2].data = id;
}

/* (sequence, position) {element type} -> the sizes of the element at the position, which must have the type and as many
 * dims as the result has elements. */
void mlc_call_sequence_dims(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  const int64_t *options = mlc_read_call(buffers, scalars, 1, views, 3);
  int64_t position;
  const mlc_element *found = element_at(&views[0], &views[1], options[0], views[2].count, &position);
  for (int64_t axis = 0; axis < found->rank; axis++)
    ((int64_t *)views[2].data)[axis] = found->sizes[axis];
}

/* (sequence, position, sizes) -> the element at the position, which must have these sizes, and the result's type. */
void mlc_call_sequence_at(void **buffers, int64_t *scalars) {
  mlc_view views[4];
  mlc_read_call(buffers, scalars, 0, views, 4);
  const mlc_view *result = &views[3];
  int64_t position;
  const mlc_element *found = element_at(&views[0], &views[1], result->element, result->rank, &position);
  for (int64_t axis = 0; axis < found->rank; axis++)
    if (found->sizes[axis] != result->sizes[axis])
      mlc_call_fail_with("element %lld of its sequence has %lld elements along axis %lld, the model says %lld",
                         (long long)position, (long long)found->sizes[axis], (long long)axis,
                         (long long)result->sizes[axis]);
  if (found->bytes)
    memcpy(result->data, found->data, (size_t)found->bytes);
}
