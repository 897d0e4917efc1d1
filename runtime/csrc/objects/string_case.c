/* Conversion to upper and lower case, by a table that the program provides. */
#include "objects/object_calls.h"

#include <string.h>

/* A row: a code point, and up to three that replace it. */
enum { ROW = 4, ASCII = 128, NO_SINGLE = -1 };

typedef struct {
  const int32_t *rows;
  int64_t count;
  int32_t ascii[ASCII]; /* what replaces each alone; NO_SINGLE where none or several code points do */
} case_table;

static const int32_t *find_row(const case_table *table, int32_t code) {
  int64_t low = 0, high = table->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (table->rows[ROW * middle] < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low < table->count && table->rows[ROW * low] == code ? &table->rows[ROW * low] : NULL;
}

static char *write_code(char *to, int32_t code) {
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  const int count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const int lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  *to++ = (char)(lead[count] | code >> 6 * (count - 1));
  for (int i = count - 2; i >= 0; i--)
    *to++ = (char)(0x80 | (code >> 6 * i & 0x3F));
  return to;
}

/* Replaces the code points of a string; returns the bytes of the result, written to `to` if it is not NULL. */
static size_t replace(const case_table *table, mlc_string string, char *to) {
  const unsigned char *at = (const unsigned char *)string.bytes, *end = at + string.length;
  size_t size = 0;
  while (at < end) {
    char piece[16], *next = piece;
    int bytes;
    const int32_t code = mlc_read_code(at, end, &bytes);
    const bool is_ascii = code >= 0 && code < ASCII;
    const int32_t single = is_ascii ? table->ascii[code] : NO_SINGLE;
    const int32_t *row = code >= 0 && single == NO_SINGLE ? find_row(table, code) : NULL;
    if (single != NO_SINGLE)
      next = write_code(next, single);
    else if (row)
      for (int i = 1; i < ROW && row[i]; i++)
        next = write_code(next, row[i]);
    else
      memcpy(next, at, (size_t)bytes), next += bytes;
    if (to)
      memcpy(to + size, piece, (size_t)(next - piece));
    size += (size_t)(next - piece);
    at += bytes;
  }
  return size;
}

/* (x, table [n, 4]) -> the strings with the code points that begin rows of the sorted table replaced by the rest of the
 * row, up to the first 0. Bytes that are no UTF-8 stay. */
void mlc_call_string_case(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  mlc_read_call(buffers, scalars, 0, views, 3);
  const int64_t *x = views[0].data;
  int64_t *result = views[2].data;
  case_table table = {views[1].data, views[1].count / ROW, {0}};
  for (int32_t code = 0; code < ASCII; code++) {
    const int32_t *row = find_row(&table, code);
    table.ascii[code] = !row ? code : row[1] && !row[2] ? row[1] : NO_SINGLE;
  }
  for (int64_t i = 0; i < views[2].count; i++) {
    const mlc_string string = *mlc_call_get_string(x[i]);
    const size_t size = replace(&table, string, NULL);
    char *replaced = mlc_call_scratch(size, 1);
    replace(&table, string, replaced);
    result[i] = mlc_call_string(replaced, (int64_t)size);
  }
}
