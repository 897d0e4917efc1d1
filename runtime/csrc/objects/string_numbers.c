/* Functions between strings and numbers, in ONNX's forms. */
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

/* The point is a point, whatever locale the program around has chosen. */
static locale_t point;
static pthread_once_t point_once = PTHREAD_ONCE_INIT;

static void make_point(void) { point = newlocale(LC_ALL_MASK, "C", 0); }

static locale_t use_point(void) {
  pthread_once(&point_once, make_point);
  if (!point)
    mlc_call_no_memory();
  return uselocale(point);
}

/* That an element is what `text` says. */
static _Noreturn void fail_with_locale(locale_t before, int64_t string, int64_t place, const char *text) {
  uselocale(before);
  mlc_call_fail_with("element %lld, %s, is %s", (long long)place, mlc_call_quoted(mlc_call_get_string(string)), text);
}

/* The operand and the result of a call, of which that at `integers` is of 64-bit integers. */
static void read_views(void **buffers, int64_t *numbers, mlc_view *views, int integers) {
  mlc_read_call(buffers, numbers, 0, views, 2);
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

/* Where a decimal number ends, with or without a fraction and an exponent; NULL if there is none. */
static const char *skip_number(const char *at) {
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

/* The text of a number without white space in front, which a 0 ends: strings of the table have one behind them.
 * NULL if it is none. */
static const char *find_number(const mlc_string *string) {
  const char *begin = skip_space(string->bytes), *digits = begin + (*begin == '+' || *begin == '-');
  static const char *const words[] = {"infinity", "inf", "nan"};
  const char *end = skip_number(digits);
  for (size_t i = 0; !end && i < sizeof words / sizeof *words; i++)
    if (strncasecmp(digits, words[i], strlen(words[i])) == 0)
      end = digits + strlen(words[i]);
  return end && skip_space(end) == string->bytes + string->length ? begin : NULL;
}

/* The text of element `place`, which must be a number's. */
static const char *number_text(int64_t string, int64_t place, locale_t before) {
  const char *text = find_number(mlc_call_get_string(string));
  if (!text)
    fail_with_locale(before, string, place, "no number");
  return text;
}

/* (x) -> the numbers, f64. */
void mlc_call_string_to_float(void **buffers, int64_t *numbers) {
  mlc_view views[2];
  mlc_read_call(buffers, numbers, 0, views, 2);
  const int64_t *x = views[0].data;
  double *result = views[1].data;
  const locale_t before = use_point();
  for (int64_t i = 0; i < views[1].count; i++)
    result[i] = strtod(number_text(x[i], i, before), NULL);
  uselocale(before);
}

/* Element `place` as an integer of 64 bits, by its bits; what follows the point is left out. */
static int64_t read_integer(int64_t string, int64_t place, bool is_unsigned, locale_t before) {
  const char *text = number_text(string, place, before);
  char *end;
  errno = 0;
  const bool is_negative = *text == '-';
  const int64_t bits = is_unsigned && !is_negative ? (int64_t)strtoull(text, &end, 10) : strtoll(text, &end, 10);
  if (errno == 0 && (!*skip_space(end)) && !(is_unsigned && bits < 0 && is_negative))
    return bits;
  const double value = trunc(strtod(text, NULL));
  if (!(value >= (is_unsigned ? 0 : -0x1p63) && value < (is_unsigned ? 0x1p64 : 0x1p63)))
    fail_with_locale(before, string, place, "a number that the integers of the result do not hold");
  return is_unsigned ? (int64_t)(uint64_t)value : (int64_t)value;
}

/* (x) -> the numbers, i64 or u64. */
void mlc_call_string_to_integer(void **buffers, int64_t *numbers) {
  mlc_view views[2];
  read_views(buffers, numbers, views, 1);
  const int64_t *x = views[0].data;
  int64_t *result = views[1].data;
  const locale_t before = use_point();
  for (int64_t i = 0; i < views[1].count; i++)
    result[i] = read_integer(x[i], i, views[1].element == ONNX_U64, before);
  uselocale(before);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Rounded to a format of so many bits. */
static double rounded(double value, int64_t bits, int64_t least_exponent) {
  if (bits >= F64_BITS || value == 0)
    return value;
  const int exponent = ilogb(value) > least_exponent ? ilogb(value) : (int)least_exponent;
  const double unit = ldexp(1, exponent - (int)bits + 1);
  return nearbyint(value / unit) * unit;
}

/* The fewest digits, as d.ddde+dd, that tell the value from all others of its format. */
static void shortest(double value, int64_t bits, int64_t least_exponent, char *text, size_t size) {
  /* Texts of so many digits come back from the format as they were: they only lose zeros at the end. Numbers
   * below the normal ones have fewer bits. */
  int digits = value < ldexp(1, (int)least_exponent) ? 1 : (int)((double)(bits - 1) * 0.30103);
  do
    snprintf(text, size, "%.*e", digits - 1, value);
  while (rounded(strtod(text, NULL), bits, least_exponent) != value && ++digits <= MOST_DIGITS);
}

/* Plain from 1e-4 to 1e16, scientific elsewhere, as Python and NumPy write floats. */
static int write_float(double value, int64_t bits, int64_t least_exponent, char *to, size_t size) {
  char text[40], digits[40];
  if (isnan(value) || isinf(value))
    return snprintf(to, size, "%s", isnan(value) ? "NaN" : value > 0 ? "INF" : "-INF");
  shortest(fabs(value), bits, least_exponent, text, sizeof text);
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

/* (x) {bits, least exponent} -> the texts of f64 that are numbers of a format of so many significant bits. */
void mlc_call_float_to_string(void **buffers, int64_t *numbers) {
  mlc_view views[2];
  const int64_t *options = mlc_read_call(buffers, numbers, 2, views, 2);
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
void mlc_call_integer_to_string(void **buffers, int64_t *numbers) {
  mlc_view views[2];
  read_views(buffers, numbers, views, 0);
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
