/* Functions on sequences, which host programs call. A sequence never changes: what inserts gives a new one, of
 * the same elements. */
#include "object_calls.h"

#include <string.h>

static int64_t new_sequence(int64_t count, const mlc_element ***elements) {
  const int64_t number = mlc_objects_sequence(mlc_call_objects(), count);
  if (number < 0)
    mlc_call_no_memory();
  /* A new one is nobody else's yet. */
  *elements = (const mlc_element **)mlc_call_get_sequence(number)->elements;
  return number;
}

/* A place from the front, `least` to `most`; negative ones count from the end. */
static int64_t checked_place(int64_t place, int64_t count, int64_t most) {
  if (place < -count || place > most)
    mlc_call_fail("a position is outside the sequence");
  return place < 0 ? place + count : place;
}

static const mlc_element *element_at(const mlc_view *sequence, const mlc_view *place) {
  const mlc_sequence *found = mlc_call_get_sequence(*(const int64_t *)sequence->data);
  return found->elements[checked_place(*(const int64_t *)place->data, found->count, found->count - 1)];
}

/* (sequence) -> how many elements it has. */
void mlc_call_sequence_length(void **buffers, int64_t *numbers) {
  mlc_view views[2];
  mlc_read_call(buffers, numbers, 0, views, 2);
  *(int64_t *)views[1].data = mlc_call_get_sequence(*(const int64_t *)views[0].data)->count;
}

/* (sequence, x, place) -> the sequence with x in front of the element at the place. */
void mlc_call_sequence_insert(void **buffers, int64_t *numbers) {
  mlc_view views[4];
  mlc_read_call(buffers, numbers, 0, views, 4);
  const mlc_sequence *before = mlc_call_get_sequence(*(const int64_t *)views[0].data);
  const mlc_sequence copy = *before;
  const mlc_view *x = &views[1];
  const int64_t place = checked_place(*(const int64_t *)views[2].data, copy.count, copy.count);
  const int64_t bytes = x->count * mlc_element_bytes(x->element);
  mlc_element *made = mlc_objects_element(mlc_call_objects(), x->element, x->rank, x->sizes, bytes);
  if (!made)
    mlc_call_no_memory();
  memcpy(made->data, x->data, (size_t)bytes);
  const mlc_element **elements;
  *(int64_t *)views[3].data = new_sequence(copy.count + 1, &elements);
  for (int64_t i = 0; i < place; i++)
    elements[i] = copy.elements[i];
  elements[place] = made;
  for (int64_t i = place; i < copy.count; i++)
    elements[i + 1] = copy.elements[i];
}

/* (sequence, place) {element type} -> the sizes of the element at the place, which must have as many as the
 * result, and the type. */
void mlc_call_sequence_dims(void **buffers, int64_t *numbers) {
  mlc_view views[3];
  const int64_t *element = mlc_read_call(buffers, numbers, 1, views, 3);
  const mlc_element *found = element_at(&views[0], &views[1]);
  if (found->rank != views[2].count)
    mlc_call_fail("an element of a sequence has another rank than the model says");
  if (found->element != *element)
    mlc_call_fail("an element of a sequence has another type than the model says");
  memcpy(views[2].data, found->sizes, (size_t)found->rank * sizeof *found->sizes);
}

/* (sequence, place, sizes) -> the element at the place, which has these sizes. */
void mlc_call_sequence_at(void **buffers, int64_t *numbers) {
  mlc_view views[4];
  mlc_read_call(buffers, numbers, 0, views, 4);
  const mlc_element *found = element_at(&views[0], &views[1]);
  if (found->bytes != views[3].count * mlc_element_bytes(views[3].element))
    mlc_call_fail("an element of a sequence has other sizes than were read");
  memcpy(views[3].data, found->data, (size_t)found->bytes);
}
