/* Functions on strings, which host programs call. Results are built in scratch memory, from which the table copies new
 * strings. Adding a string may move the table's descriptions of strings: functions copy those that they need. */
#define _GNU_SOURCE
#include "objects/object_calls.h"

#include <stdlib.h>
#include <string.h>

/* (x, y) -> the concatenations of the strings of x and y, elementwise. */
void mlc_call_string_concat(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const int64_t *x = views[0].data, *y = views[1].data;
  int64_t *result = views[2].data;
  for (int64_t i = 0; i < views[2].count; i++) {
    const mlc_string *first = mlc_call_get_string(x[i]), *second = mlc_call_get_string(y[i]);
    const size_t length = (size_t)(first->length + second->length);
    char *joined = mlc_call_scratch(length, 1);
    memcpy(joined, first->bytes, (size_t)first->length);
    memcpy(joined + first->length, second->bytes, (size_t)second->length);
    result[i] = mlc_call_string(joined, (int64_t)length);
  }
}

/* (x, table) -> whether the automaton of the table (match_table of mlc.frontends.regex.automaton) accepts each string. */
void mlc_call_string_match(void **buffers, int64_t *scalars) {
  enum { HEAD = 2, BYTES = 256 };
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const int32_t *head = views[1].data;
  const int64_t *x = views[0].data, states = views[1].count < HEAD + BYTES ? 0 : head[0];
  if (states < 1 || head[1] < 1 || views[1].count != HEAD + BYTES + states * (1 + (int64_t)head[1]))
    mlc_automaton_fail();
  const int32_t *accepting = head + HEAD + BYTES;
  const mlc_automaton automaton = {states, head[1], head + HEAD, accepting + states};
  uint8_t *result = views[2].data;
  for (int64_t i = 0; i < views[2].count; i++) {
    const mlc_string *string = mlc_call_get_string(x[i]);
    int64_t state = 0;
    for (int64_t at = 0; at < string->length; at++)
      state = mlc_automaton_step(&automaton, state, (uint8_t)string->bytes[at]);
    result[i] = accepting[state] != 0;
  }
}

/* A string and its index. */
typedef struct {
  mlc_string string;
  int64_t index;
} indexed_string;

static int compare_strings(const void *one, const void *other) {
  const mlc_string *x = &((const indexed_string *)one)->string, *y = &((const indexed_string *)other)->string;
  const int order = memcmp(x->bytes, y->bytes, (size_t)(x->length < y->length ? x->length : y->length));
  return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* (x) -> for each string the number of different strings of x that are less, compared byte by byte. */
void mlc_call_string_order(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  mlc_read_call(buffers, scalars, 0, views, 2);
  const int64_t *x = views[0].data, count = views[0].count;
  int64_t *result = views[1].data, order = 0;
  indexed_string *sorted = mlc_call_scratch((size_t)count, sizeof *sorted);
  for (int64_t i = 0; i < count; i++)
    sorted[i] = (indexed_string){*mlc_call_get_string(x[i]), i};
  qsort(sorted, (size_t)count, sizeof *sorted, compare_strings);
  for (int64_t i = 0; i < count; i++) {
    order += i > 0 && x[sorted[i].index] != x[sorted[i - 1].index];
    result[sorted[i].index] = order;
  }
}

/* ---- splitting ------------------------------------------------------------------------------ */

/* The rest of a string that is split; an empty `delimiter` stands for white space. */
typedef struct {
  const char *left, *end;
  mlc_string delimiter;
  int64_t splits; /* still allowed; negative: no limit */
  bool is_over;
} splitter;

/* Bytes of the white space that begins at `at`, as Unicode has it (str.isspace of Python); 0 where none does. */
static int space_at(const char *at, const char *end) {
  const unsigned char *c = (const unsigned char *)at;
  if ((*c >= 9 && *c <= 13) || (*c >= 28 && *c <= 32))
    return 1;
  if (*c < 0xC2)
    return 0;
  if (*c == 0xC2)
    return end - at >= 2 && (c[1] == 0x85 || c[1] == 0xA0) ? 2 : 0;
  if (end - at < 3)
    return 0;
  const int code = (c[0] & 15) << 12 | (c[1] & 63) << 6 | (c[2] & 63);
  const bool is_three = c[0] >= 0xE0 && c[0] < 0xF0 && (c[1] & 0xC0) == 0x80 && (c[2] & 0xC0) == 0x80;
  const bool is_space = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
                        code == 0x202F || code == 0x205F || code == 0x3000;
  return is_three && is_space ? 3 : 0;
}

/* The next part between runs of white space. */
static bool next_word(splitter *s, const char **part, int64_t *length) {
  int space;
  while (s->left < s->end && (space = space_at(s->left, s->end)))
    s->left += space;
  if (s->left == s->end)
    return false;
  *part = s->left;
  if (s->splits-- == 0)
    s->left = s->end;
  while (s->left < s->end && !space_at(s->left, s->end))
    s->left++;
  *length = s->left - *part;
  return true;
}

/* The next part of a string. */
static bool next_part(splitter *s, const char **part, int64_t *length) {
  if (s->delimiter.length == 0)
    return next_word(s, part, length);
  if (s->is_over)
    return false;
  const size_t rest = (size_t)(s->end - s->left), size = (size_t)s->delimiter.length;
  const char *found = s->splits-- == 0 ? NULL : memmem(s->left, rest, s->delimiter.bytes, size);
  *part = s->left;
  *length = (found ? found : s->end) - s->left;
  s->is_over = !found;
  s->left = found ? found + size : s->end;
  return true;
}

static splitter split(int64_t id, const mlc_view *delimiter, int64_t splits) {
  const mlc_string *string = mlc_call_get_string(id);
  const mlc_string *between = mlc_call_get_string(*(const int64_t *)delimiter->data);
  return (splitter){.left = string->bytes, .end = string->bytes + string->length, .delimiter = *between, .splits = splits};
}

/* (x, delimiter) {most splits; negative: no limit} -> the number of parts of each string. */
void mlc_call_string_split_count(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  const int64_t *splits = mlc_read_call(buffers, scalars, 1, views, 3);
  const int64_t *x = views[0].data;
  int64_t *result = views[2].data, length;
  const char *part;
  for (int64_t i = 0; i < views[2].count; i++) {
    splitter s = split(x[i], &views[1], *splits);
    result[i] = 0;
    while (next_part(&s, &part, &length))
      result[i]++;
  }
}

/* (x, delimiter, dims) {most splits} -> the parts of each string along a last dim, then "". */
void mlc_call_string_split(void **buffers, int64_t *scalars) {
  mlc_view views[4];
  const int64_t *splits = mlc_read_call(buffers, scalars, 1, views, 4);
  const int64_t *x = views[0].data, width = views[3].rank ? views[3].sizes[views[3].rank - 1] : 1;
  int64_t *result = views[3].data, length;
  if (views[0].count * width != views[3].count)
    mlc_call_fail("the result is not of the strings' dims and one more");
  const char *part;
  for (int64_t i = 0; i < views[0].count; i++, result += width) {
    splitter s = split(x[i], &views[1], *splits);
    int64_t count = 0;
    while (next_part(&s, &part, &length)) {
      if (count == width)
        mlc_call_fail("a string has more parts than were counted");
      result[count++] = mlc_call_string(part, length);
    }
    while (count < width)
      result[count++] = 0;
  }
}
