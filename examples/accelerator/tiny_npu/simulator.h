/* tiny-npu, a made-up accelerator: a scratchpad, DMA between it and main memory, a matrix unit and a vector unit,
 * whose operands are in the scratchpad. An npu_address is an offset in it, in bytes. Misuse prints a message and
 * aborts. */
#ifndef TINY_NPU_SIMULATOR_H
#define TINY_NPU_SIMULATOR_H

#include <stdint.h>

enum { NPU_TILE = 16, NPU_SCRATCHPAD_BYTES = 64 * 1024, NPU_ALIGNMENT = 64 };
enum npu_unit { NPU_DMA, NPU_MATRIX, NPU_VECTOR, NPU_UNITS };

typedef int64_t npu_address;

/* Begin and end a program. One program runs at a time; the scratchpad has no defined content when it begins. */
void npu_begin(void);
void npu_end(void);

/* Cycles of a unit since the last npu_reset. */
int64_t npu_cycles(int unit);
void npu_reset(void);

/* Copies rows that are `stride` bytes apart in main memory, and side by side in the scratchpad. */
void npu_dma_in(npu_address to, int64_t from, int64_t rows, int64_t row_bytes, int64_t stride);
void npu_dma_out(int64_t to, npu_address from, int64_t rows, int64_t row_bytes, int64_t stride);

/* sums[m][n] += a[m][k] * b[k][n] on tiles of 16x16, row by row; b[n][k] where it is transposed. */
void npu_mma_f16(npu_address sums, npu_address a, npu_address b);
void npu_mma_f16_transposed(npu_address sums, npu_address a, npu_address b);
void npu_mma_i8(npu_address sums, npu_address a, npu_address b);
void npu_mma_i8_transposed(npu_address sums, npu_address a, npu_address b);

/* Compute `count` elements; conditions are bytes of 0 or 1. */
void npu_vector_fill(npu_address to, int64_t bits, int64_t element_bytes, int64_t count);
void npu_vector_move(npu_address to, npu_address from, int64_t element_bytes, int64_t count);
/* Broadcasts a row of `columns` elements to `rows` rows. */
void npu_vector_spread(npu_address to, npu_address from, int64_t element_bytes, int64_t columns, int64_t rows);
void npu_vector_widen_f16(npu_address to, npu_address a, int64_t count);
void npu_vector_narrow_f16(npu_address to, npu_address a, int64_t count);
void npu_vector_add_f32(npu_address to, npu_address a, npu_address b, int64_t count);
void npu_vector_sub_f32(npu_address to, npu_address a, npu_address b, int64_t count);
void npu_vector_mul_f32(npu_address to, npu_address a, npu_address b, int64_t count);
void npu_vector_greater_f32(npu_address to, npu_address a, npu_address b, int64_t count);
void npu_vector_select_f32(npu_address to, npu_address condition, npu_address a, npu_address b, int64_t count);
void npu_vector_add_i32(npu_address to, npu_address a, npu_address b, int64_t count);

#endif
