"""The online softmax of rows of scores that are computed tile by tile.

Source: Milakov and Gimelshein, "Online normalizer calculation for softmax"; Dao et al., "FlashAttention".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from mlc.bindings import arith, ir, math
from mlc.passes.accel.attention.tiles import broadcast_columns, floats, partial_sums, reduce_rows, splat_like
from mlc.passes.common.fast_math import approximate
from mlc.passes.common.vector_builders import splat

# Partial sums of a query's weights. Of eight columns of an accumulator of NVIDIA's tensor cores a thread has
# two, so that the sum over threads is needed only once, after the last key.
PARTS = 8


@dataclass(frozen=True)
class SoftmaxState:
    """The state of each query after has_weight keys: its maximum score, and, relative to `exp(maximum)`,
    partial sums of its weights and its row of the result."""

    maximum: ir.Value
    total: ir.Value
    result: ir.Value

    @staticmethod
    def start(queries: int, features: int) -> SoftmaxState:
        """Returns the state before the first key."""
        rows = floats(queries)
        total, result = floats(queries, PARTS), floats(queries, features)
        return SoftmaxState(splat(rows, -inf), splat(total, 0), splat(result, 0))

    @property
    def values(self) -> list[ir.Value]:
        """The state as loop-carried values."""
        return [self.maximum, self.total, self.result]


@dataclass(frozen=True)
class SoftmaxUpdate:
    """The weights of a tile of keys, and the state before it, rescaled to the new maximum without the tile's
    part of `result`."""

    maximum: ir.Value
    total: ir.Value
    result: ir.Value
    weights: ir.Value


def update_softmax(
    known: SoftmaxState, scores: ir.Value, factor: float, *, may_hide_all: bool
) -> SoftmaxUpdate:
    """Updates the state with a tile of scores whose weights are `exp2(factor * score)`; `factor` is positive.

    With `may_hide_all` the difference to the maximum is taken before the multiplication by `factor`, so that
    rows of the lowest finite scores get equal weights; otherwise a score takes one multiply-add.
    """
    maximum = reduce_rows("maximumf", scores, known.maximum)
    # Before the first finite score the maximum is minus infinity, and its difference to itself would be NaN.
    nothing = arith.cmpf(arith.CmpFPredicate.OEQ, maximum, splat_like(maximum, -inf))
    reference = arith.select(nothing, splat_like(maximum, 0), maximum)
    power = _power_of_difference if may_hide_all else _power_of_multiples
    correction, weights = power(known.maximum, reference, factor), power(scores, reference, factor)
    total = partial_sums(weights, arith.mulf(known.total, broadcast_columns(correction, PARTS)))
    result = arith.mulf(known.result, broadcast_columns(correction, known.result.type.shape[1]))
    return SoftmaxUpdate(maximum, total, result, weights)


def _power_of_difference(scores: ir.Value, reference: ir.Value, factor: float) -> ir.Value:
    """Returns `exp2((scores - reference) * factor)`; `scores` are a matrix, or one score per row."""
    difference = arith.subf(scores, _broadcast_rows(scores, reference))
    return _power(arith.mulf(difference, splat_like(difference, factor)))


def _power_of_multiples(scores: ir.Value, reference: ir.Value, factor: float) -> ir.Value:
    """Returns `exp2(scores * factor - reference * factor)`; all uses of a reference have the same rounding
    error of its product."""
    bias = arith.mulf(reference, splat_like(reference, factor))
    if scores.type.rank == 1:
        # The old state is relative to the rounded product of the old maximum.
        return _power(arith.subf(arith.mulf(scores, splat_like(scores, factor)), bias))
    return _power(math.fma(scores, splat_like(scores, factor), _broadcast_rows(scores, arith.negf(bias))))


def _broadcast_rows(scores: ir.Value, rows: ir.Value) -> ir.Value:
    """Broadcasts a scalar per row to the shape of `scores`."""
    return rows if scores.type.rank == 1 else broadcast_columns(rows, scores.type.shape[1])


def _power(exponents: ir.Value) -> ir.Value:
    """Returns approximate powers of two: weights are rounded anyway."""
    return math.exp2(exponents, fastmath=approximate())


def normalise_result(known: SoftmaxState, *, safe: bool) -> ir.Value:
    """Divides the rows of the result by the sums of their weights. With `safe`, rows whose sum is NaN, or 0
    since all scores are minus infinity, become 0."""
    result = known.result
    total = reduce_rows("add", known.total, splat_like(known.maximum, 0))
    inverse = arith.divf(splat_like(total, 1), total)
    columns = result.type.shape[1]
    normalised = arith.mulf(result, broadcast_columns(inverse, columns))
    if not safe:
        return normalised
    has_weight = arith.cmpf(arith.CmpFPredicate.OGT, total, splat_like(total, 0))
    return arith.select(broadcast_columns(has_weight, columns), normalised, splat_like(normalised, 0))
