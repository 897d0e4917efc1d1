#include "simulator.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(NPU_ALIGNMENT) uint8_t scratchpad[NPU_SCRATCHPAD_BYTES];
static bool written[NPU_SCRATCHPAD_BYTES];
static int64_t cycles[NPU_UNITS];
static pthread_mutex_t machine = PTHREAD_MUTEX_INITIALIZER;
static bool running;

/* ---- checks --------------------------------------------------------------------------------- */

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("tiny-npu: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

static void check_range(const char *who, npu_address at, int64_t bytes) {
  if (!running)
    fail("%s outside of npu_begin and npu_end", who);
  if (at % NPU_ALIGNMENT)
    fail("%s: address %lld is no multiple of %d", who, (long long)at, NPU_ALIGNMENT);
  if (at < 0 || bytes <= 0 || bytes > NPU_SCRATCHPAD_BYTES || at > NPU_SCRATCHPAD_BYTES - bytes)
    fail("%s: %lld bytes at %lld are outside of the scratchpad", who, (long long)bytes, (long long)at);
}

/* The operand's memory; all of it has been written. */
static const void *source(const char *who, npu_address at, int64_t bytes) {
  check_range(who, at, bytes);
  for (int64_t i = at; i < at + bytes; i++)
    if (!written[i])
      fail("%s reads byte %lld of the scratchpad, which nothing has written", who, (long long)i);
  return scratchpad + at;
}

static void *target(const char *who, npu_address at, int64_t bytes) {
  check_range(who, at, bytes);
  memset(written + at, true, (size_t)bytes);
  return scratchpad + at;
}

/* ---- programs and counters ------------------------------------------------------------------ */

void npu_begin(void) {
  pthread_mutex_lock(&machine);
  memset(written, false, sizeof written);
  running = true;
}

void npu_end(void) {
  running = false;
  pthread_mutex_unlock(&machine);
}

int64_t npu_cycles(int unit) { return unit >= 0 && unit < NPU_UNITS ? cycles[unit] : 0; }

void npu_reset(void) { memset(cycles, 0, sizeof cycles); }

/* ---- DMA: 32 cycles to start, then 16 bytes each -------------------------------------------- */

static int64_t transfer(const char *who, int64_t memory, int64_t rows, int64_t row_bytes, int64_t stride) {
  if (!memory || rows <= 0 || row_bytes <= 0 || row_bytes > NPU_SCRATCHPAD_BYTES / rows)
    fail("%s: %lld rows of %lld bytes at %llx", who, (long long)rows, (long long)row_bytes,
         (unsigned long long)memory);
  if (rows > 1 && stride < row_bytes)
    fail("%s: rows of %lld bytes that are %lld bytes apart overlap", who, (long long)row_bytes, (long long)stride);
  cycles[NPU_DMA] += 32 + (rows * row_bytes + 15) / 16;
  return rows * row_bytes;
}

void npu_dma_in(npu_address to, int64_t from, int64_t rows, int64_t row_bytes, int64_t stride) {
  uint8_t *tile = target("npu_dma_in", to, transfer("npu_dma_in", from, rows, row_bytes, stride));
  for (int64_t row = 0; row < rows; row++)
    memcpy(tile + row * row_bytes, (const uint8_t *)from + row * stride, (size_t)row_bytes);
}

void npu_dma_out(int64_t to, npu_address from, int64_t rows, int64_t row_bytes, int64_t stride) {
  const uint8_t *tile = source("npu_dma_out", from, transfer("npu_dma_out", to, rows, row_bytes, stride));
  for (int64_t row = 0; row < rows; row++)
    memcpy((uint8_t *)to + row * stride, tile + row * row_bytes, (size_t)row_bytes);
}

/* ---- the matrix unit: a row of accumulators per cycle --------------------------------------- */

enum { ELEMENTS = NPU_TILE * NPU_TILE };

#define MMA(NAME, ELEMENT, SUM, COLUMN_STEP, K_STEP)                                        \
  void NAME(npu_address sums, npu_address a, npu_address b) {                               \
    const ELEMENT *left = source(#NAME, a, ELEMENTS * sizeof(ELEMENT));                     \
    const ELEMENT *right = source(#NAME, b, ELEMENTS * sizeof(ELEMENT));                    \
    (void)source(#NAME, sums, ELEMENTS * sizeof(SUM));                                      \
    SUM *total = target(#NAME, sums, ELEMENTS * sizeof(SUM));                               \
    for (int m = 0; m < NPU_TILE; m++)                                                      \
      for (int n = 0; n < NPU_TILE; n++)                                                    \
        for (int k = 0; k < NPU_TILE; k++)                                                  \
          total[m * NPU_TILE + n] +=                                                        \
              (SUM)left[m * NPU_TILE + k] * (SUM)right[n * (COLUMN_STEP) + k * (K_STEP)];   \
    cycles[NPU_MATRIX] += NPU_TILE;                                                         \
  }

MMA(npu_mma_f16, _Float16, float, 1, NPU_TILE)
MMA(npu_mma_f16_transposed, _Float16, float, NPU_TILE, 1)
MMA(npu_mma_i8, int8_t, int32_t, 1, NPU_TILE)
MMA(npu_mma_i8_transposed, int8_t, int32_t, NPU_TILE, 1)

/* ---- the vector unit: 16 elements per cycle ------------------------------------------------- */

static void count_lanes(int64_t count) { cycles[NPU_VECTOR] += (count + 15) / 16; }

void npu_vector_fill(npu_address to, int64_t bits, int64_t element_bytes, int64_t count) {
  uint8_t *result = target("npu_vector_fill", to, count * element_bytes);
  for (int64_t i = 0; i < count; i++)
    memcpy(result + i * element_bytes, &bits, (size_t)element_bytes);
  count_lanes(count);
}

void npu_vector_move(npu_address to, npu_address from, int64_t element_bytes, int64_t count) {
  const void *a = source("npu_vector_move", from, count * element_bytes);
  memmove(target("npu_vector_move", to, count * element_bytes), a, (size_t)(count * element_bytes));
  count_lanes(count);
}

void npu_vector_spread(npu_address to, npu_address from, int64_t element_bytes, int64_t columns, int64_t rows) {
  const int64_t bytes = columns * element_bytes;
  const uint8_t *row = source("npu_vector_spread", from, bytes);
  uint8_t *result = target("npu_vector_spread", to, rows * bytes);
  for (int64_t i = 0; i < rows; i++)
    memcpy(result + i * bytes, row, (size_t)bytes);
  count_lanes(rows * columns);
}

#define UNARY(NAME, TO, FROM)                                          \
  void NAME(npu_address to, npu_address a, int64_t count) {            \
    const FROM *x = source(#NAME, a, count * (int64_t)sizeof(FROM));   \
    TO *result = target(#NAME, to, count * (int64_t)sizeof(TO));       \
    for (int64_t i = 0; i < count; i++)                                \
      result[i] = (TO)x[i];                                            \
    count_lanes(count);                                                \
  }

#define BINARY(NAME, TO, FROM, OPERATOR)                                          \
  void NAME(npu_address to, npu_address a, npu_address b, int64_t count) {        \
    const FROM *x = source(#NAME, a, count * (int64_t)sizeof(FROM));              \
    const FROM *y = source(#NAME, b, count * (int64_t)sizeof(FROM));              \
    TO *result = target(#NAME, to, count * (int64_t)sizeof(TO));                  \
    for (int64_t i = 0; i < count; i++)                                           \
      result[i] = x[i] OPERATOR y[i];                                             \
    count_lanes(count);                                                           \
  }

UNARY(npu_vector_widen_f16, float, _Float16)
UNARY(npu_vector_narrow_f16, _Float16, float)
BINARY(npu_vector_add_f32, float, float, +)
BINARY(npu_vector_sub_f32, float, float, -)
BINARY(npu_vector_mul_f32, float, float, *)
BINARY(npu_vector_greater_f32, uint8_t, float, >)
BINARY(npu_vector_add_i32, int32_t, int32_t, +)

void npu_vector_select_f32(npu_address to, npu_address condition, npu_address a, npu_address b, int64_t count) {
  const uint8_t *chosen = source("npu_vector_select_f32", condition, count);
  const float *x = source("npu_vector_select_f32", a, count * (int64_t)sizeof(float));
  const float *y = source("npu_vector_select_f32", b, count * (int64_t)sizeof(float));
  float *result = target("npu_vector_select_f32", to, count * (int64_t)sizeof(float));
  for (int64_t i = 0; i < count; i++)
    result[i] = chosen[i] ? x[i] : y[i];
  count_lanes(count);
}
