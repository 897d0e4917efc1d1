"""Loops that copy tiles into shared memory, wait for them, and compute; rings of their buffers."""

from __future__ import annotations

from mlc.bindings import arith, ir, memref, scf
from mlc.dialects import accel
from mlc.dialects.accel import is_shared
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index

# Attribute of a branch around copies: if it is not taken, the buffers are not read before they are next
# copied to.
AHEAD = "accel.ahead"

STAGES = "accel.stages"
# Attribute of a loop with a trip count of at least 1: its last mma may overlap the next iteration's
# computation.
OVERLAP = "accel.overlap"
# Attribute of such a loop: warp groups start their mmas in ping-pong order.
PING_PONG = "accel.ping_pong"
# More stages than fit in shared memory.
MOST_STAGES = 64


def stages_of(loop: ir.Operation) -> int:
    """Returns the number of iterations whose copies a loop with the attribute `accel.stages` has buffers for.
    Raises PassError if the attribute is not an integer from 1 to `MOST_STAGES`."""
    given = loop.attributes[STAGES]
    if isinstance(given, ir.IntegerAttr) and 1 <= given.value <= MOST_STAGES:
        return int(given.value)
    raise PassError(f"{STAGES} must be an integer from 1 to {MOST_STAGES}, but is {given}", loop.location)


class CopyingLoop:
    """A loop with the attribute `accel.stages`: its copies, and the wait for them."""

    def __init__(self, loop: ir.Operation) -> None:
        """Raises PassError unless the loop waits for all of its copies at once, and no two of them fill the
        same buffer."""
        self.loop = loop
        self.stages = stages_of(loop)
        self.body = scf.For(loop).entry_block
        ops = [op.operation for op in self.body.operations]
        self.copies = [
            op for op in ops if op.name == accel.Copy.NAME and is_shared(accel.Copy(op).destination)
        ]
        waits = [op for op in ops if op.name == accel.Wait.NAME]
        if not self.copies or len(waits) != 1:
            raise PassError(
                f"a loop with {STAGES} copies into shared memory and waits once, but this one has "
                f"{len(self.copies)} copies and {len(waits)} waits",
                loop.location,
            )
        self.wait = waits[0]
        self._check()
        self.allocs = [accel.Copy(copy).destination.owner for copy in self.copies]

    def _check(self) -> None:
        tokens = set(accel.Wait(self.wait).tokens)
        buffers = [accel.Copy(copy).destination for copy in self.copies]
        if tokens != {accel.Copy(copy).token for copy in self.copies}:
            raise PassError(f"a loop with {STAGES} waits for all of its copies at once", self.wait.location)
        for copy, buffer in zip(self.copies, buffers, strict=True):
            owner = None if isinstance(buffer, ir.BlockArgument) else buffer.owner
            if owner is None or owner.name != accel.Alloc.NAME or accel.Alloc(owner).stages != 1:
                raise PassError("a pipelined copy writes a whole buffer of one stage", copy.location)
            if buffers.count(buffer) > 1 or not all(_is_in(use.owner, self.loop) for use in buffer.uses):
                raise PassError(
                    "a pipelined copy writes a buffer that no other copy writes and only its loop uses",
                    copy.location,
                )

    def rings(self) -> list[ir.Value]:
        """Allocates for each copy a ring of as many buffers as there are stages, before the old buffer."""
        return [_ring(alloc, self.stages) for alloc in self.allocs]

    def replace_buffers(self, views: list[ir.Value]) -> None:
        """Replaces the buffers by `views`, once the copies are erased."""
        for alloc, view in zip(self.allocs, views, strict=True):
            accel.Alloc(alloc).memory.replace_all_uses_with(view)
            alloc.erase()


def stage_of(ring: ir.Value, stage: ir.Value) -> ir.Value:
    """Returns one buffer of a ring."""
    shape = list(ring.type.shape)[1:]
    rest = [0] * len(shape)
    strides, _ = ring.type.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), strides[1:])
    view_type = ir.MemRefType.get(shape, ring.type.element_type, layout, ring.type.memory_space)
    ones = [1] * (len(shape) + 1)
    dynamic = ir.ShapedType.get_dynamic_size()
    return memref.SubViewOp(view_type, ring, [stage], [], [], [dynamic, *rest], [1, *shape], ones).result


def next_stage(stage: ir.Value, stages: int) -> tuple[ir.Value, ir.Value]:
    """Returns the ring's next stage, and whether it wraps around to stage 0."""
    following = arith.AddIOp(stage, index(1)).result
    wraps = arith.cmpi(arith.CmpIPredicate.eq, following, index(stages))
    return arith.SelectOp(wraps, index(0), following).result, wraps


def _ring(alloc: ir.Operation, stages: int) -> ir.Value:
    buffer = accel.Alloc(alloc).memory.type
    ring = ir.MemRefType.get([stages, *buffer.shape], buffer.element_type, None, buffer.memory_space)
    attributes = {
        "stages": i64_attribute(stages),
        "swizzle": i64_attribute(accel.Alloc(alloc).swizzle),
    }
    with ir.InsertionPoint(alloc), alloc.location:
        return accel.Alloc(ir.Operation.create(accel.Alloc.NAME, [ring], [], attributes)).memory


def _is_in(op: ir.Operation | ir.OpView, loop: ir.Operation) -> bool:
    parent = op.operation
    while parent is not None and parent != loop:
        parent = parent.parent.operation if parent.parent is not None else None
    return parent is not None
