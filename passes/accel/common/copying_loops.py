"""Loops that copy tiles into shared memory, wait for them, and compute; rings of their buffers."""

from __future__ import annotations

from mlc.bindings import arith, ir, memref
from mlc.dialects import accel
from mlc.dialects.accel import is_shared
from mlc.passes.base import PassError
from mlc.passes.common.constants import index_constant as index

# Of a branch around copies: if it is not taken, nobody reads their buffers before they are copied to anew.
AHEAD = "accel.ahead"

STAGES = "accel.stages"
# Of a loop that runs at least once: its last product may run beside what the next iteration computes.
OVERLAP = "accel.overlap"
# Of such a loop: groups of warps that share rows start their products in turns.
PING_PONG = "accel.ping_pong"
# More than shared memory has room for.
MOST_STAGES = 64


def stages_of(loop: ir.Operation) -> int:
    """How many iterations' copies a loop with the attribute `accel.stages` has buffers for. Raises
    PassError for what is no such number."""
    given = loop.attributes[STAGES]
    if isinstance(given, ir.IntegerAttr) and 1 <= given.value <= MOST_STAGES:
        return int(given.value)
    raise PassError(f"{STAGES} must be a number from 1 to {MOST_STAGES}, but is {given}", loop.location)


class CopyingLoop:
    """A loop with the attribute `accel.stages`: its copies, and the wait for them."""

    def __init__(self, loop: ir.Operation) -> None:
        """Raises PassError unless the loop waits for all of its copies at once, which fill buffers of their
        own."""
        self.loop = loop
        self.stages = stages_of(loop)
        self.body = loop.regions[0].blocks[0]
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
        self.allocs = [copy.operands[1].owner for copy in self.copies]

    def _check(self) -> None:
        tokens = set(self.wait.operands)
        buffers = [copy.operands[1] for copy in self.copies]
        if tokens != {copy.results[0] for copy in self.copies}:
            raise PassError(f"a loop with {STAGES} waits for all of its copies at once", self.wait.location)
        for copy, buffer in zip(self.copies, buffers, strict=True):
            owner = None if isinstance(buffer, ir.BlockArgument) else buffer.owner
            if owner is None or owner.name != accel.Alloc.NAME or accel.Alloc(owner).stages != 1:
                raise PassError("a pipelined copy writes a whole buffer of one stage", copy.location)
            if buffers.count(buffer) > 1 or not all(_is_in(use.owner, self.loop) for use in buffer.uses):
                raise PassError("a pipelined copy writes a buffer of its own", copy.location)

    def rings(self) -> list[ir.Value]:
        """For each copy a ring of as many buffers as there are stages, in front of the old buffer."""
        return [_ring(alloc, self.stages) for alloc in self.allocs]

    def replace_buffers(self, views: list[ir.Value]) -> None:
        """Has `views` read in place of the buffers, when the copies are gone."""
        for alloc, view in zip(self.allocs, views, strict=True):
            alloc.results[0].replace_all_uses_with(view)
            alloc.erase()


def stage_of(ring: ir.Value, stage: ir.Value) -> ir.Value:
    """One buffer of a ring."""
    shape = list(ring.type.shape)[1:]
    rest = [0] * len(shape)
    strides, _ = ring.type.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), strides[1:])
    kind = ir.MemRefType.get(shape, ring.type.element_type, layout, ring.type.memory_space)
    ones = [1] * (len(shape) + 1)
    dynamic = ir.ShapedType.get_dynamic_size()
    return memref.SubViewOp(kind, ring, [stage], [], [], [dynamic, *rest], [1, *shape], ones).result


def next_stage(stage: ir.Value, stages: int) -> tuple[ir.Value, ir.Value]:
    """The ring's next stage, and whether the ring begins anew there."""
    following = arith.AddIOp(stage, index(1)).result
    wraps = arith.cmpi(arith.CmpIPredicate.eq, following, index(stages))
    return arith.SelectOp(wraps, index(0), following).result, wraps


def _ring(alloc: ir.Operation, stages: int) -> ir.Value:
    kind = alloc.results[0].type
    whole = ir.MemRefType.get([stages, *kind.shape], kind.element_type, None, kind.memory_space)
    attributes = {
        "stages": ir.IntegerAttr.get(ir.IntegerType.get_signless(64, alloc.context), stages),
        "swizzle": alloc.attributes["swizzle"],
    }
    with ir.InsertionPoint(alloc), alloc.location:
        return ir.Operation.create(accel.Alloc.NAME, [whole], [], attributes).results[0]


def _is_in(op: ir.Operation | ir.OpView, loop: ir.Operation) -> bool:
    parent = op.operation
    while parent is not None and parent != loop:
        parent = parent.parent.operation if parent.parent is not None else None
    return parent is not None
