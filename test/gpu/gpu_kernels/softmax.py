"""The softmax of a tile of scores in the registers of a product: two rows per lane, 128 columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpu_kernels.builder import Int32, f32, i32
from gpu_kernels.hopper import pack_pair
from mlc.bindings import arith, ir, llvm, nvvm

COLUMNS = 128
_WEIGHTS = COLUMNS // 4


def combine_quad(value: ir.Value, op: Any) -> ir.Value:
    """`op` over the four lanes that share a row."""
    for distance in (1, 2):
        other = nvvm.shfl_sync(
            i32(-1), value, i32(distance), i32(31), ir.Attribute.parse("#nvvm<shfl_kind bfly>")
        )
        value = op(value, other).result
    return value


def row_factors(values: Sequence[ir.Value], factors: Sequence[ir.Value]) -> list[ir.Value]:
    """A product's registers, each times the factor of its row."""
    return [arith.MulFOp(value, factors[i // 2 % 2]).result for i, value in enumerate(values)]


@dataclass(frozen=True)
class Softmax:
    """Softmax tile by tile. A score counts if its column compares by `predicate` with `limit(half)`. The
    state is weights (packed), highest scores and sums of the two rows."""

    scale: ir.Value  # times log2(e)
    lane: Int32
    predicate: str
    limit: Callable[[int], Int32]
    element_type: str

    def begin(self, scores: list[ir.Value], column: Int32) -> list[ir.Value]:
        """The state after the first tile, whose columns begin at `column`; the only one with masked
        scores."""
        lowest = f32(float("-inf"))
        masked = [self._mask(i, score, column, lowest) for i, score in enumerate(scores)]
        return self.go_on(masked, [lowest] * 2, [f32(0.0)] * 2)[0]

    def _mask(self, i: int, score: ir.Value, first: Int32, lowest: ir.Value) -> ir.Value:
        column = first + ((self.lane & 3) << 1) + (8 * (i // 4) + i % 2)
        counts = column.compare(self.predicate, self.limit(i // 2 % 2))
        return arith.SelectOp(counts, score, lowest).result

    def parts(self, state: Sequence[Any]) -> tuple[list[ir.Value], list[ir.Value], list[ir.Value]]:
        """Weights, highest scores, sums."""
        return list(state[:_WEIGHTS]), list(state[_WEIGHTS : _WEIGHTS + 2]), list(state[_WEIGHTS + 2 :])

    def go_on(
        self, scores: list[ir.Value], highest: list[ir.Value], sums: list[ir.Value]
    ) -> tuple[list[ir.Value], list[ir.Value]]:
        """The state after one more tile, and by what the rows' results so far must be multiplied."""
        of_row = [_of_row(scores, half, arith.MaxNumFOp) for half in range(2)]
        of_tile = [combine_quad(value, arith.MaxNumFOp) for value in of_row]
        now = [arith.MaxNumFOp(*pair).result for pair in zip(highest, of_tile, strict=True)]
        scaled = [arith.MulFOp(value, self.scale).result for value in now]
        before = [arith.MulFOp(value, self.scale).result for value in highest]
        factors = [_power(arith.SubFOp(*pair).result) for pair in zip(before, scaled, strict=True)]
        shift = [arith.MulFOp(value, f32(-1.0)).result for value in scaled]
        weights = [
            _power(llvm.intr_fma(score, self.scale, shift[i // 2 % 2])) for i, score in enumerate(scores)
        ]
        total = [
            llvm.intr_fma(sums[half], factors[half], _of_row(weights, half, arith.AddFOp))
            for half in range(2)
        ]
        packed = [
            pack_pair(low, high, self.element_type)
            for low, high in zip(weights[::2], weights[1::2], strict=True)
        ]
        return [*packed, *now, *total], factors


def _power(value: Any) -> ir.Value:
    return nvvm.ex2(value, ftz=True)


def _of_row(values: list[ir.Value], half: int, op: Any) -> ir.Value:
    """`op` over what a lane holds of one of its rows, as a tree."""
    row = [value for i, value in enumerate(values) if i // 2 % 2 == half]
    while len(row) > 1:
        row = [op(a, b).result for a, b in zip(row[::2], row[1::2], strict=True)]
    return row[0]
