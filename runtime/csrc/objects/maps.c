/* Functions on maps, which host programs call. A map is a sequence of two vectors: its keys, and their values. */
#include "objects/sequences.h"

#include <string.h>

/* (keys, x) -> a sequence of maps, one for each row of x, from the keys to the elements of the row. */
void mlc_call_sequence_maps(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const mlc_view *keys = &views[0], *x = &views[1];
  const int64_t rows = x->sizes[0], columns = x->sizes[1], none = 0;
  if (columns != keys->count)
    mlc_call_fail("a row has not as many elements as there are labels");
  mlc_element *const labels = mlc_sequence_new_element(keys->element, 1, &columns, columns);
  memcpy(labels->data, keys->data, (size_t)labels->bytes);
  const int64_t maps = mlc_sequence_new(rows);
  for (int64_t row = 0; row < rows; row++) {
    mlc_element *values = mlc_sequence_new_element(x->element, 1, &columns, columns);
    memcpy(values->data, (const char *)x->data + row * values->bytes, (size_t)values->bytes);
    const int64_t map = mlc_sequence_new(2);
    mlc_call_get_sequence(map)->run->elements[0] = labels;
    mlc_call_get_sequence(map)->run->elements[1] = values;
    /* An element that is a sequence is stored as its id. */
    mlc_element *element = mlc_sequence_new_element(7, 0, &none, 1);
    memcpy(element->data, &map, sizeof map);
    mlc_call_get_sequence(maps)->run->elements[row] = element;
  }
  *(int64_t *)views[2].data = maps;
}
