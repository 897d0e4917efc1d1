/* Functions on maps, which host programs call. A map is a sequence of two vectors, its keys and their values; a
 * sequence of maps has the vectors of each. */
#include "objects/sequences.h"

#include <string.h>

/* (keys, x) -> a sequence of maps, one for each row of x, from the keys, which they share, to the elements of the row. */
void mlc_call_sequence_maps(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const mlc_view *keys = &views[0], *x = &views[1];
  const int64_t rows = x->sizes[0], columns = x->sizes[1];
  if (columns != keys->count)
    mlc_call_fail("a row has not as many elements as there are labels");
  mlc_element *const labels = mlc_sequence_new_element(keys->element, 1, &columns, columns);
  memcpy(labels->data, keys->data, (size_t)labels->bytes);
  const int64_t maps = mlc_sequence_new(2 * rows);
  for (int64_t row = 0; row < rows; row++) {
    mlc_element *values = mlc_sequence_new_element(x->element, 1, &columns, columns);
    memcpy(values->data, (const char *)x->data + row * values->bytes, (size_t)values->bytes);
    mlc_element **vectors = mlc_call_get_sequence(maps)->run->elements + 2 * row;
    vectors[0] = labels;
    vectors[1] = values;
  }
  *(int64_t *)views[2].data = maps;
}
