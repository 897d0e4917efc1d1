/* Conversions between strings and integers or floats, in ONNX's formats. */
#define _GNU_SOURCE
#include "objects/object_calls.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { F64_BITS = 53, MOST_DIGITS = 17, ONNX_U64 = 13 };

/* The decimal point is ".", whatever locale the process has chosen. */
static locale_t point;
static pthread_once_t point_once = PTHREAD_ONCE_INIT;

static void make_point(void) { point = newlocale(LC_ALL_MASK, "C", 0); }

static locale_t use_point(void) {
  pthread_once(&point_once, make_point);
  if (!point)
    mlc_call_no_memory();
  return uselocale(point);
}

/* Fails the call with "element `index`, 'string', is `text`". */
static _Noreturn void fail_with_locale(locale_t before, int64_t string, int64_t index, const char *text) {
  uselocale(before);
  mlc_call_fail_with("element %lld, %s, is %s", (long long)index, mlc_call_quoted(mlc_call_get_string(string)), text);
}

/* Reads the operand and the result of a call; view `integers` must be of 64-bit integers. */
static void read_views(void **buffers, int64_t *scalars, mlc_view *views, int integers) {
  mlc_read_call(buffers, scalars, 0, views, 2);
  if (mlc_element_bytes(views[integers].element) != 8)
    mlc_call_fail(integers ? "the result is not of 64-bit integers" : "the operand is not of 64-bit integers");
}

/* ---- reading -------------------------------------------------------------------------------- */

static const char *skip_digits(const char *at) {
  while (*at >= '0' && *at <= '9')
    at++;
  return at;
}

static const char *skip_space(const char *at) {
  while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
    at++;
  return at;
}

/* The end of a decimal literal, with or without a fraction and an exponent; NULL if there is none. */
static const char *skip_decimal(const char *at) {
  const char *point = skip_digits(at), *end = *point == '.' ? skip_digits(point + 1) : point;
  if (end - at == (*point == '.'))
    return NULL;
  if (*end == 'e' || *end == 'E') {
    const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');
    end = skip_digits(exponent);
    if (end == exponent)
      return NULL;
  }
  return end;
}

/* The literal in a string, without white space before it; NUL-terminated, as all strings of the table are. NULL if the
 * string is not numeric. */
static const char *find_literal(const mlc_string *string) {
  const char *begin = skip_space(string->bytes), *digits = begin + (*begin == '+' || *begin == '-');
  static const char *const words[] = {"infinity", "inf", "nan"};
  const char *end = skip_decimal(digits);
  for (size_t i = 0; !end && i < sizeof words / sizeof *words; i++)
    if (strncasecmp(digits, words[i], strlen(words[i])) == 0)
      end = digits + strlen(words[i]);
  return end && skip_space(end) == string->bytes + string->length ? begin : NULL;
}

/* The literal in element `index`, which must be numeric. */
static const char *read_literal(int64_t string, int64_t index, locale_t before) {
  const mlc_string *found = mlc_objects_get_string(mlc_call_objects(), string);
  const char *text = found ? find_literal(found) : NULL;
  if (!found) /* the thread keeps its locale where the call ends, too */
    uselocale(before), mlc_call_get_string(string);
  if (!text)
    fail_with_locale(before, string, index, "not numeric");
  return text;
}

/* (x) -> their values, f64. */
void mlc_call_string_to_float(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  mlc_read_call(buffers, scalars, 0, views, 2);
  const int64_t *x = views[0].data;
  double *result = views[1].data;
  const locale_t before = use_point();
  for (int64_t i = 0; i < views[1].count; i++)
    result[i] = strtod(read_literal(x[i], i, before), NULL);
  uselocale(before);
}

/* The bits of element `index` as an integer of 64 bits, truncated towards zero. */
static int64_t read_integer(int64_t string, int64_t index, bool is_unsigned, locale_t before) {
  const char *text = read_literal(string, index, before);
  char *end;
  errno = 0;
  const bool is_negative = *text == '-';
  const int64_t bits = is_unsigned && !is_negative ? (int64_t)strtoull(text, &end, 10) : strtoll(text, &end, 10);
  if (errno == 0 && (!*skip_space(end)) && !(is_unsigned && bits < 0 && is_negative))
    return bits;
  const double value = trunc(strtod(text, NULL));
  if (!(value >= (is_unsigned ? 0 : -0x1p63) && value < (is_unsigned ? 0x1p64 : 0x1p63)))
    fail_with_locale(before, string, index, "out of the range of the result's integers");
  return is_unsigned ? (int64_t)(uint64_t)value : (int64_t)value;
}

/* (x) -> their values, i64 or u64. */
void mlc_call_string_to_integer(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  read_views(buffers, scalars, views, 1);
  const int64_t *x = views[0].data;
  int64_t *result = views[1].data;
  const locale_t before = use_point();
  for (int64_t i = 0; i < views[1].count; i++)
    result[i] = read_integer(x[i], i, views[1].element == ONNX_U64, before);
  uselocale(before);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Rounds to a format of `bits` significant bits. */
static double round_to_format(double value, int64_t bits, int64_t least_exponent) {
  if (bits >= F64_BITS || value == 0)
    return value;
  const int exponent = ilogb(value) > least_exponent ? ilogb(value) : (int)least_exponent;
  const double unit = ldexp(1, exponent - (int)bits + 1);
  return nearbyint(value / unit) * unit;
}

/* Writes the fewest digits, as d.ddde+dd, that round to the value in its format. */
static void write_shortest(double value, int64_t bits, int64_t least_exponent, char *text, size_t size) {
  /* Decimals of this many digits survive a round trip through the format, but for trailing zeros. Subnormal values have
   * fewer bits. */
  int digits = value < ldexp(1, (int)least_exponent) ? 1 : (int)((double)(bits - 1) * 0.30103);
  do
    snprintf(text, size, "%.*e", digits - 1, value);
  while (round_to_format(strtod(text, NULL), bits, least_exponent) != value && ++digits <= MOST_DIGITS);
}

/* Fixed-point notation from 1e-4 to 1e16, scientific elsewhere, as Python and NumPy write floats. */
static int write_float(double value, int64_t bits, int64_t least_exponent, char *to, size_t size) {
  char text[40], digits[40];
  if (isnan(value) || isinf(value))
    return snprintf(to, size, "%s", isnan(value) ? "NaN" : value > 0 ? "INF" : "-INF");
  write_shortest(fabs(value), bits, least_exponent, text, sizeof text);
  const int exponent = atoi(strchr(text, 'e') + 1);
  int count = 0;
  for (const char *at = text; *at != 'e'; at++)
    if (*at != '.')
      digits[count++] = *at;
  while (count > 1 && digits[count - 1] == '0')
    count--;
  digits[count] = 0;
  const char *sign = signbit(value) ? "-" : "";
  if (value != 0 && (exponent < -4 || exponent >= 16))
    return snprintf(to, size, "%s%c%s%se%+03d", sign, digits[0], count > 1 ? "." : "", digits + 1, exponent);
  if (exponent < 0)
    return snprintf(to, size, "%s0.%.*s%s", sign, -exponent - 1, "000", digits);
  if (count <= exponent + 1)
    return snprintf(to, size, "%s%s%.*s.0", sign, digits, exponent + 1 - count, "0000000000000000");
  return snprintf(to, size, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

/* (x) {bits, least exponent} -> the texts of f64 that are values of a format of `bits` significant bits. */
void mlc_call_float_to_string(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  const int64_t *options = mlc_read_call(buffers, scalars, 2, views, 2);
  const double *x = views[0].data;
  int64_t *result = views[1].data;
  char *text = mlc_call_scratch(64, 1);
  for (int64_t i = 0; i < views[1].count; i++) {
    const locale_t before = use_point();
    const int length = write_float(x[i], options[0], options[1], text, 64);
    uselocale(before);
    result[i] = mlc_call_string(text, length);
  }
}

/* (x) -> the digits of i64 or u64. */
void mlc_call_integer_to_string(void **buffers, int64_t *scalars) {
  mlc_view views[2];
  read_views(buffers, scalars, views, 0);
  const int64_t *x = views[0].data;
  int64_t *result = views[1].data;
  char text[24];
  for (int64_t i = 0; i < views[1].count; i++) {
    const int length = views[0].element == ONNX_U64
                           ? snprintf(text, sizeof text, "%llu", (unsigned long long)x[i])
                           : snprintf(text, sizeof text, "%lld", (long long)x[i]);
    result[i] = mlc_call_string(text, length);
  }
}
