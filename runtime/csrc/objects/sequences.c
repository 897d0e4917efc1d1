/* Functions on sequences, which host programs call. A sequence never changes: what inserts gives a new one, of
 * the same elements. */
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
  const int64_t number = mlc_objects_sequence(mlc_call_objects(), count);
  if (number < 0)
    mlc_call_no_memory();
  return number;
}

void mlc_sequence_check(const mlc_element *element, int64_t place, int64_t type, int64_t rank) {
  const long long number = (long long)place;
  if (element->element != type)
    mlc_call_fail_with("element %lld of its sequence has another type than the model says", number);
  if (element->rank != rank)
    mlc_call_fail_with("element %lld of its sequence has rank %lld, the model says %lld", number,
                       (long long)element->rank, (long long)rank);
}

/* A place from the front, up to `most`; negative ones count from the end. */
static int64_t checked_place(const mlc_view *view, int64_t count, int64_t most) {
  const int64_t place = *(const int64_t *)view->data;
  if (place < -count || place > most)
    mlc_call_fail_with("the sequence, or optional, has no element at position %lld, its length is %lld",
                       (long long)place, (long long)count);
  return place < 0 ? place + count : place;
}

/* The element at a place, which must have a type and a rank; `found` is the place from the front. */
static const mlc_element *element_at(const mlc_view *sequence, const mlc_view *place, int64_t type, int64_t rank,
                                     int64_t *found) {
  const mlc_sequence *all = mlc_sequence_of(sequence);
  *found = checked_place(place, all->count, all->count - 1);
  mlc_sequence_check(all->run->elements[*found], *found, type, rank);
  return all->run->elements[*found];
}

static mlc_element *element_of(const mlc_view *x) {
  mlc_element *made = mlc_sequence_new_element(x->element, x->rank, x->sizes, x->count);
  if (made->bytes)
    memcpy(made->data, x->data, (size_t)made->bytes);
  return made;
}

/* (sequence) -> how many elements it has. */
void mlc_call_sequence_length(void **buffers, int64_t *numbers) {
  mlc_view views[2];
  mlc_read_call(buffers, numbers, 0, views, 2);
  *(int64_t *)views[1].data = mlc_sequence_of(&views[0])->count;
}

/* (sequence, other) -> how many elements both have. */
void mlc_call_sequence_common_length(void **buffers, int64_t *numbers) {
  mlc_view views[3];
  mlc_read_call(buffers, numbers, 0, views, 3);
  const int64_t count = mlc_sequence_of(&views[0])->count, other = mlc_sequence_of(&views[1])->count;
  if (count != other)
    mlc_call_fail_with("its sequences have different lengths, %lld and %lld", (long long)count, (long long)other);
  *(int64_t *)views[2].data = count;
}

/* (sequence, x) -> the sequence with x at its end. */
void mlc_call_sequence_append(void **buffers, int64_t *numbers) {
  mlc_view views[3];
  mlc_read_call(buffers, numbers, 0, views, 3);
  mlc_element *made = element_of(&views[1]);
  /* Numbers that are added may move the table's sequences. */
  const mlc_sequence before = *mlc_sequence_of(&views[0]);
  const int64_t number = mlc_objects_append(mlc_call_objects(), &before, made);
  if (number < 0)
    mlc_call_no_memory();
  *(int64_t *)views[2].data = number;
}

/* (sequence, x, place) -> the sequence with x in front of the element at the place. */
void mlc_call_sequence_insert(void **buffers, int64_t *numbers) {
  mlc_view views[4];
  mlc_read_call(buffers, numbers, 0, views, 4);
  const mlc_sequence before = *mlc_sequence_of(&views[0]);
  const int64_t place = checked_place(&views[2], before.count, before.count);
  mlc_element *made = element_of(&views[1]);
  const int64_t number = mlc_sequence_new(before.count + 1);
  mlc_element **elements = mlc_call_get_sequence(number)->run->elements;
  elements[place] = made;
  for (int64_t i = 0; i < before.count; i++)
    elements[i < place ? i : i + 1] = before.run->elements[i];
  *(int64_t *)views[3].data = number;
}

/* (sequence, place) -> the sequence without the element at the place. */
void mlc_call_sequence_erase(void **buffers, int64_t *numbers) {
  mlc_view views[3];
  mlc_read_call(buffers, numbers, 0, views, 3);
  const mlc_sequence before = *mlc_sequence_of(&views[0]);
  const int64_t place = checked_place(&views[1], before.count, before.count - 1);
  const int64_t number = mlc_sequence_new(before.count - 1);
  for (int64_t i = 0; i < before.count - 1; i++)
    mlc_call_get_sequence(number)->run->elements[i] = before.run->elements[i < place ? i : i + 1];
  *(int64_t *)views[2].data = number;
}

/* (sequence, place) {element type} -> the sizes of the element at the place, which must have as many as the
 * result, and the type. */
void mlc_call_sequence_dims(void **buffers, int64_t *numbers) {
  mlc_view views[3];
  const int64_t *options = mlc_read_call(buffers, numbers, 1, views, 3);
  int64_t place;
  const mlc_element *found = element_at(&views[0], &views[1], options[0], views[2].count, &place);
  for (int64_t axis = 0; axis < found->rank; axis++)
    ((int64_t *)views[2].data)[axis] = found->sizes[axis];
}

/* (sequence, place, sizes) -> the element at the place, which must have these sizes, and the result's type. */
void mlc_call_sequence_at(void **buffers, int64_t *numbers) {
  mlc_view views[4];
  mlc_read_call(buffers, numbers, 0, views, 4);
  const mlc_view *result = &views[3];
  int64_t place;
  const mlc_element *found = element_at(&views[0], &views[1], result->element, result->rank, &place);
  for (int64_t axis = 0; axis < found->rank; axis++)
    if (found->sizes[axis] != result->sizes[axis])
      mlc_call_fail_with("element %lld of its sequence has %lld elements along axis %lld, the model says %lld",
                         (long long)place, (long long)found->sizes[axis], (long long)axis,
                         (long long)result->sizes[axis]);
  if (found->bytes)
    memcpy(result->data, found->data, (size_t)found->bytes);
}
