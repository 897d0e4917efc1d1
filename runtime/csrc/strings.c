/* Functions on strings, which host programs call. */
#include "object_calls.h"

#include <stdlib.h>
#include <string.h>

/* (x, y) -> the strings of x, each followed by the one of y at its place. */
void mlc_call_string_concat(void **buffers, int64_t *numbers) {
  mlc_view views[3];
  mlc_read_call(buffers, numbers, 0, views, 3);
  const int64_t *x = views[0].data, *y = views[1].data;
  int64_t *result = views[2].data;
  for (int64_t i = 0; i < views[2].count; i++) {
    const mlc_string *first = mlc_call_get_string(x[i]), *second = mlc_call_get_string(y[i]);
    const size_t length = (size_t)(first->length + second->length);
    char *joined = mlc_objects_allocate(mlc_call_objects(), length + 1);
    if (!joined)
      mlc_call_no_memory();
    memcpy(joined, first->bytes, (size_t)first->length);
    memcpy(joined + first->length, second->bytes, (size_t)second->length);
    result[i] = mlc_call_string(joined, (int64_t)length);
  }
}
