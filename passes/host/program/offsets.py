"""Offsets in one arena for buffers of a host function whose sizes follow from the dims of its inputs.

Which buffer is below which is decided at compile time, on the plan for a typical size. A call then computes,
once, the offset of each: the largest end of those below it. Of two buffers that are live at the same time
one is below the other, so that they never overlap, whatever the sizes.

    a: n bytes, live in 0..1     b: 4*n bytes, live in 1..2     c: 2*n bytes, live in 2..3
    b at 0, a and c at 4*n; the arena has max(5*n, 6*n) bytes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import arith, ir, memref
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.constants import i8, index_constant
from mlc.passes.host.memory.allocations import Allocations
from mlc.passes.host.memory.arena import ALIGNMENT, ArenaPlan, align, stack
from mlc.passes.host.program.size_values import SizeValues

# The value of named dims for which the order of buffers is planned.
TYPICAL_DIM = 256
# More bytes than a buffer can have: the call fails before it uses one that has more.
MOST_BYTES = 1 << 47


class UncheckedSizes(SizeValues):
    """Sizes without checks: they are wrong where those of the buffer would fail. Divisors are at least 1."""

    def check(self, left: ir.Value, right: ir.Value, relation: str, message: str) -> None:
        """Builds nothing."""

    def divide(self, left: ir.Value, right: ir.Value, text: str) -> ir.Value:
        """Divides sizes, rounding down."""
        return arith.FloorDivSIOp(left, arith.MaxSIOp(right, self.of(1)).result).result


def build_arena(
    allocations: Allocations, plan: ArenaPlan, dims: Mapping[str, ir.Value]
) -> tuple[ir.Value, list[ir.Value]]:
    """Builds the offsets of the arena's buffers from the plan for a typical size and the dims of inputs, and
    allocates the arena; returns both."""
    sizes = UncheckedSizes(dims)
    buffers = [root.size for root in allocations.arena()]
    aligned = {size: align_size(size, sizes) for size in dict.fromkeys(buffers)}
    ends: dict[int, ir.Value] = {}
    offsets: dict[int, ir.Value] = {}
    stacked, top = stack(allocations.lifetimes(TYPICAL_DIM), plan.offsets)
    for index, below in stacked.items():
        offsets[index] = largest([ends[other] for other in below])
        ends[index] = arith.AddIOp(offsets[index], aligned[buffers[index]]).result
    type_ = ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], i8())
    arena = memref.AllocOp(type_, [largest([ends[index] for index in top])], []).memref
    return arena, [offsets[index] for index in range(len(buffers))]


def align_size(size: int | Size, sizes: UncheckedSizes) -> ir.Value:
    """Rounds a size up to the alignment; 0 for one that no buffer can have, so that the arena can be
    allocated: the call fails when the buffer becomes live, which may never happen in a body."""
    if isinstance(size, int):
        return index_constant(align(size))
    count = sizes.of(size)
    # Negative sizes are large as unsigned integers.
    possible = arith.CmpIOp(arith.CmpIPredicate.ult, count, index_constant(MOST_BYTES)).result
    bounded = arith.SelectOp(possible, count, index_constant(0)).result
    more = arith.AddIOp(bounded, index_constant(ALIGNMENT - 1)).result
    return arith.AndIOp(more, index_constant(-ALIGNMENT)).result


def largest(values: Sequence[ir.Value]) -> ir.Value:
    """The largest of offsets, 0 if there are none."""
    result = values[0] if values else index_constant(0)
    for value in values[1:]:
        result = arith.MaxSIOp(result, value).result
    return result
