"""The softmax of rows of scores that come block by block, after Milakov and Gimelshein ("Online normalizer
calculation for softmax") and FlashAttention."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from mlc.bindings import arith, ir, math
from mlc.passes.accel.attention.tiles import across, filled, floats, partial_sums, reduced_rows
from mlc.passes.common.fast_math import approximate
from mlc.passes.common.vector_builders import splat

# Parts of the sum of a query's weights: of eight columns of what tensor units of NVIDIA's GPUs compute, a
# thread has two. Their sum over threads is taken once, behind the last key.
PARTS = 8


@dataclass(frozen=True)
class Running:
    """What is known of each query after some keys: its greatest score, and, each times `exp(-greatest)`,
    parts of the sum of its weights, and its row of the result."""

    top: ir.Value
    total: ir.Value
    result: ir.Value

    @staticmethod
    def start(queries: int, features: int) -> Running:
        """Before the first key."""
        rows = floats(queries)
        total, result = floats(queries, PARTS), floats(queries, features)
        return Running(splat(rows, -inf), splat(total, 0), splat(result, 0))

    @property
    def values(self) -> list[ir.Value]:
        return [self.top, self.total, self.result]


@dataclass(frozen=True)
class SoftmaxUpdate:
    """A block of keys: `weights` relative to the new greatest score, and what was known before, made so."""

    top: ir.Value
    total: ir.Value
    result: ir.Value
    weights: ir.Value


def step(known: Running, scores: ir.Value, factor: float, *, may_hide_all: bool) -> SoftmaxUpdate:
    """Takes in scores whose weights are powers of two: `exp2(factor * score)`. `factor` must be positive.

    With `may_hide_all` differences come before factors, and scores that all are the lowest number there is
    have equal weights; otherwise a score takes one multiply-add.
    """
    top = reduced_rows("maximumf", scores, known.top)
    # Minus infinity, as long as there is no other score, would make NaN of itself.
    nothing = arith.cmpf(arith.CmpFPredicate.OEQ, top, filled(top, -inf))
    reference = arith.select(nothing, filled(top, 0), top)
    power = _power_of_difference if may_hide_all else _power_of_multiples
    correction, weights = power(known.top, reference, factor), power(scores, reference, factor)
    total = partial_sums(weights, arith.mulf(known.total, across(correction, PARTS)))
    result = arith.mulf(known.result, across(correction, known.result.type.shape[1]))
    return SoftmaxUpdate(top, total, result, weights)


def _power_of_difference(scores: ir.Value, reference: ir.Value, factor: float) -> ir.Value:
    """`exp2((scores - reference) * factor)`, of rows or of one score for each."""
    difference = arith.subf(scores, _beside(scores, reference))
    return _power(arith.mulf(difference, filled(difference, factor)))


def _power_of_multiples(scores: ir.Value, reference: ir.Value, factor: float) -> ir.Value:
    """`exp2(scores * factor - reference * factor)`: the product with the reference is rounded, alike in all
    that is relative to it."""
    bias = arith.mulf(reference, filled(reference, factor))
    if scores.type.rank == 1:
        # What was relative to the rounded product of the old one.
        return _power(arith.subf(arith.mulf(scores, filled(scores, factor)), bias))
    return _power(math.fma(scores, filled(scores, factor), _beside(scores, arith.negf(bias))))


def _beside(scores: ir.Value, rows: ir.Value) -> ir.Value:
    """One number for each row in the shape of scores."""
    return rows if scores.type.rank == 1 else across(rows, scores.type.shape[1])


def _power(exponents: ir.Value) -> ir.Value:
    """An approximation will do, as weights are rounded."""
    return math.exp2(exponents, fastmath=approximate())


def finished(known: Running, *, safe: bool) -> ir.Value:
    """The rows of the result. With `safe`, those without a weight that is a number are 0: their sum is NaN,
    or 0 where all scores are minus infinity."""
    result = known.result
    total = reduced_rows("add", known.total, filled(known.top, 0))
    inverse = arith.divf(filled(total, 1), total)
    columns = result.type.shape[1]
    divided = arith.mulf(result, across(inverse, columns))
    if not safe:
        return divided
    some = arith.cmpf(arith.CmpFPredicate.OGT, total, filled(total, 0))
    return arith.select(across(some, columns), divided, filled(divided, 0))
