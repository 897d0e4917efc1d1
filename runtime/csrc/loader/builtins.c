/* Conversions between half, bfloat16 and wider floats that LLVM calls where the processor has no
 * instruction for them. A half travels in the low 16 bits of a vector register, hence as a float here.
 * The names are compiler-rt's; weak, since some versions of libgcc define them too. */
#include "loader/builtins.h"

#include <string.h>

#define BUILTIN __attribute__((weak, visibility("hidden")))

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Drops `shift` low bits (1 to 31), rounding to nearest, ties to even. */
static uint32_t round_shift(uint32_t value, int shift) {
  const uint32_t half = UINT32_C(1) << (shift - 1), odd = value >> shift & 1;
  return (value + half - 1 + odd) >> shift;
}

static uint32_t half_bits(uint32_t bits) {
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) /* quiet NaN, keeping the upper payload */
    return sign | 0x7e00 | (magnitude >> 13 & 0x1ff);
  if (magnitude >= 0x47800000) /* 65536 and more */
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) /* normal: the carry of the rounding may reach infinity, as it should */
    return sign | round_shift(magnitude - 0x38000000, 13);
  if (magnitude < 0x33000000) /* below half of the smallest subnormal */
    return sign;
  return sign | round_shift((magnitude & 0x7fffff) | 0x800000, 126 - (int)(magnitude >> 23));
}

/* Rounds to float so that a second rounding to a shorter type equals a single one: toward zero, with the
 * lowest bit set if inexact ("round to odd"; Boldo and Melquiond, 2008). */
static float float_odd(double value) {
  const float near = (float)value;
  const double back = near;
  uint32_t bits = bits_of(near);
  if (back == value || value != value)
    return near;
  if ((back > value) == (value > 0)) /* rounded away from zero, maybe to infinity */
    bits--;
  return float_of(bits | 1);
}

BUILTIN float __extendhfsf2(float half) {
  const uint32_t bits = bits_of(half), sign = (bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return float_of(sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0));
  if (exponent != 0)
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = (float)fraction * 0x1p-24f;
  return float_of(sign | bits_of(magnitude));
}

BUILTIN double __extendhfdf2(float half) { return __extendhfsf2(half); }

BUILTIN float __truncsfhf2(float value) { return float_of(half_bits(bits_of(value))); }

BUILTIN float __truncdfhf2(double value) { return float_of(half_bits(bits_of(float_odd(value)))); }

BUILTIN float __truncsfbf2(float value) {
  const uint32_t bits = bits_of(value);
  if (value != value)
    return float_of(bits >> 16 | 0x40);
  return float_of(round_shift(bits & 0x7fffffff, 16) | (bits >> 16 & 0x8000));
}

BUILTIN float __truncdfbf2(double value) { return __truncsfbf2(float_odd(value)); }
