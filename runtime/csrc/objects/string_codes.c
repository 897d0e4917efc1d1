/* Code points of strings, and quoting of strings for messages. */
#include "objects/object_calls.h"

#include <stdio.h>
#include <string.h>

/* Characters of a string that are shown, and bytes of one, which may be 4 bytes of UTF-8 or \xff. */
enum { MOST_SHOWN = 40, SHOWN_BYTES = 4 };

int32_t mlc_read_code(const unsigned char *at, const unsigned char *end, int *bytes) {
  static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const int count = *at < 0x80 ? 1 : *at < 0xC0 ? 0 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : *at < 0xF8 ? 4 : 0;
  *bytes = 1;
  if (count == 1)
    return *at;
  if (count == 0 || end - at < count)
    return -1;
  int32_t code = *at & (0xFF >> (count + 1));
  for (int i = 1; i < count; i++) {
    if ((at[i] & 0xC0) != 0x80)
      return -1;
    code = code << 6 | (at[i] & 0x3F);
  }
  if (code < least[count])
    return -1;
  *bytes = count;
  return code;
}

/* Whether a code point prints as itself: no controls, no changes of direction, no surrogates. */
static bool is_shown(int32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool is_direction =
      (code >= 0x200B && code < 0x2010) || (code >= 0x2028 && code < 0x202F) || (code >= 0x2060 && code < 0x2070);
  const bool is_none = code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
  return !is_control && !is_direction && !is_none && code != '\'' && code != '\\';
}

const char *mlc_call_quoted(const mlc_string *string) {
  static _Thread_local char text[MOST_SHOWN * SHOWN_BYTES + sizeof "''..."];
  const unsigned char *at = (const unsigned char *)string->bytes, *const end = at + string->length;
  char *to = text;
  *to++ = '\'';
  for (int i = 0; at < end && i < MOST_SHOWN; i++) {
    int bytes;
    if (is_shown(mlc_read_code(at, end, &bytes)))
      memcpy(to, at, (size_t)bytes), to += bytes;
    else /* one byte; the continuation bytes follow one by one */
      bytes = 1, to += sprintf(to, "\\x%02x", *at);
    at += bytes;
  }
  strcpy(to, at < end ? "'..." : "'");
  return text;
}
