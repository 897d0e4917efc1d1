"""Offsets in one arena for buffers of a host function whose sizes follow from the dims of its inputs.

Which buffer is below which is decided at compile time, on the plan for a typical size. A call then computes,
once, the offset of each: the largest end of those below it. Of two buffers that are live at the same time
one is below the other, so that they never overlap, whatever the sizes.

    a: n bytes, live in 0..1     b: 4*n bytes, live in 1..2     c: 2*n bytes, live in 2..3
    b at 0, a and c at 4*n; the arena has max(5*n, 6*n) bytes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, memref
from mlc.dialects import tloop
from mlc.dialects.graph.sizes import Size, evaluate
from mlc.passes.common.constants import i8, i64, index_constant
from mlc.passes.common.rewriting import collect_ops, users
from mlc.passes.host.common.description import CALLER, OUTPUT
from mlc.passes.host.memory.arena import ALIGNMENT, Lifetime, align, plan, stack
from mlc.passes.host.sized.size_values import SizeValues

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


@dataclass(frozen=True)
class SizedBuffer:
    """An allocation, its release, its size in bytes, and its live range."""

    allocation: memref.AllocOp
    release: ir.Operation
    size: int | Size
    lifetime: Lifetime


def planned_buffers(
    block: ir.Block, sizes: Mapping[ir.Value, int | Size], dims: Mapping[str, ir.Value]
) -> Iterator[SizedBuffer]:
    """Yields the buffers that the block allocates and releases, of sizes that depend on `dims` alone. What
    control flow takes over is not released here. Ids of sequences are not in the arena: the runtime keeps the
    sequences whose ids it finds in memory."""
    ops = [op.operation for op in block.operations]
    has_ids = any(CALLER in op.attributes for op in collect_ops(block.owner, [tloop.LaunchInto.NAME]))
    steps = {op: step for step, op in enumerate(ops)}
    typical = dict.fromkeys(dims, TYPICAL_DIM)
    for step, op in enumerate(ops):
        if op.name != memref.Alloc.NAME or OUTPUT in op.attributes:
            continue
        (buffer,) = op.results
        size = sizes[buffer]
        ends = [user for user in users(buffer) if user.name == memref.Dealloc.NAME and user in steps]
        is_known = isinstance(size, int) or size.names <= dims.keys()
        may_be_id = has_ids and buffer.type.element_type == i64()
        if is_known and len(ends) == 1 and not may_be_id:
            lifetime = Lifetime(max(0, evaluate(size, typical)), step, steps[ends[0]])
            yield SizedBuffer(op.opview, ends[0], size, lifetime)


def assign_offsets(
    block: ir.Block, sizes: Mapping[ir.Value, int | Size], dims: Mapping[str, ir.Value]
) -> None:
    """Replaces allocations of the block by views of one. `sizes` are their bytes, `dims` the dims of
    inputs."""
    buffers = list(planned_buffers(block, sizes, dims))
    if len(buffers) < 2:
        return
    with ir.InsertionPoint(buffers[0].allocation), buffers[0].allocation.location:
        offsets, total = build_offsets(buffers, UncheckedSizes(dims))
        arena = memref.AllocOp(
            ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], i8()), [total], []
        ).result
    last = max(buffers, key=lambda buffer: buffer.lifetime.last).release
    with ir.InsertionPoint(last), last.location:
        memref.DeallocOp(arena)
    for buffer, offset in zip(buffers, offsets, strict=True):
        replace_allocation(buffer, arena, offset)


def build_offsets(buffers: Sequence[SizedBuffer], sizes: UncheckedSizes) -> tuple[list[ir.Value], ir.Value]:
    """Builds the offsets of buffers, and the size of their arena."""
    lifetimes = [buffer.lifetime for buffer in buffers]
    aligned = {size: align_size(size, sizes) for size in dict.fromkeys(buffer.size for buffer in buffers)}
    ends: dict[int, ir.Value] = {}
    offsets: dict[int, ir.Value] = {}
    stacked, top = stack(lifetimes, plan(lifetimes).offsets)
    for index, below in stacked.items():
        offsets[index] = largest([ends[other] for other in below])
        ends[index] = arith.AddIOp(offsets[index], aligned[buffers[index].size]).result
    return [offsets[index] for index in range(len(buffers))], largest([ends[index] for index in top])


def align_size(size: int | Size, sizes: UncheckedSizes) -> ir.Value:
    """Rounds a size up to the alignment. Of a size that no buffer can have the result is in bounds, too, so
    that it does not move others out of the arena."""
    if isinstance(size, int):
        return index_constant(align(size))
    bounded = arith.MinUIOp(sizes.of(size), index_constant(MOST_BYTES)).result
    more = arith.AddIOp(bounded, index_constant(ALIGNMENT - 1)).result
    return arith.AndIOp(more, index_constant(-ALIGNMENT)).result


def largest(values: Sequence[ir.Value]) -> ir.Value:
    """The largest of offsets, 0 if there are none."""
    result = values[0] if values else index_constant(0)
    for value in values[1:]:
        result = arith.MaxSIOp(result, value).result
    return result


def replace_allocation(buffer: SizedBuffer, arena: ir.Value, offset: ir.Value) -> None:
    """Replaces an allocation by a view, which fails like it for sizes that no memory can hold."""
    made = buffer.allocation
    with ir.InsertionPoint(made), made.location:
        view = memref.ViewOp(made.memref.type, arena, offset, list(made.dynamicSizes))
    if CALLER in made.operation.attributes:
        view.operation.attributes[CALLER] = made.operation.attributes[CALLER]
    buffer.release.erase()
    made.memref.replace_all_uses_with(view.result)
    made.operation.erase()
