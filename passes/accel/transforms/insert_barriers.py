"""accel-insert-barriers: what a block's warps write to shared memory is there when others read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import gpu, ir, scf, vector
from mlc.dialects import accel
from mlc.dialects.accel import is_shared
from mlc.passes.accel.common.buffers import root_of
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops

_BARRIERS = frozenset({gpu.Barrier.NAME, accel.Wait.NAME, accel.WaitGroups.NAME})


@dataclass(frozen=True)
class Accesses:
    """Buffers that warps have read and written since the last barrier; asynchronous copies do not count as
    writes, since a wait, which is a barrier, comes before what they wrote is read."""

    read: frozenset[ir.Value] = frozenset()
    written: frozenset[ir.Value] = frozenset()

    def joined(self, other: Accesses) -> Accesses:
        return Accesses(self.read | other.read, self.written | other.written)


@dataclass(frozen=True)
class InsertBarriers(Pass):
    """Puts a barrier in front of what writes shared memory that others may still read or write, and of what
    reads what others have written: a program of tiles says none of that. Loops are looked at twice, since
    their first op follows their last one.

    A second run changes nothing.
    """

    name: ClassVar[str] = "accel-insert-barriers"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for launch in collect_ops(op, accel.Launch.NAME):
            walk = Walk(insert=True)
            walk.block(launch.regions[0].blocks[0], Accesses())
            changed |= walk.changed
        return changed


@dataclass
class Walk:
    """Follows the program's order; without `insert` it only finds out what is open at the end."""

    insert: bool
    changed: bool = False

    def block(self, block: ir.Block, open_accesses: Accesses) -> Accesses:
        """What is open behind the block."""
        for op in list(block.operations):
            open_accesses = self.op(op.operation, open_accesses)
        return open_accesses

    def op(self, op: ir.Operation, before: Accesses) -> Accesses:
        if op.name in _BARRIERS:
            return Accesses()
        if len(op.regions):
            return self.regions(op, before)
        read, written = _read(op), _written(op)
        if written & (before.read | before.written) or read & before.written:
            self.barrier(op)
            before = Accesses()
        plain = frozenset() if op.name == accel.Copy.NAME else written
        return before.joined(Accesses(read, plain))

    def regions(self, op: ir.Operation, before: Accesses) -> Accesses:
        """Of loops, which may run again or not at all, and of branches."""
        blocks = [block for region in op.regions for block in region]
        if op.name.startswith(scf.For.NAME) or op.name == scf.While.NAME:
            for block in blocks:
                before = before.joined(Walk(insert=False).block(block, before))
        after = before if op.name.startswith("scf") else Accesses()
        for block in blocks:
            after = after.joined(self.block(block, before))
        return after

    def barrier(self, op: ir.Operation) -> None:
        if self.insert:
            with ir.InsertionPoint(op), op.location:
                gpu.BarrierOp()
            self.changed = True


def _read(op: ir.Operation) -> frozenset[ir.Value]:
    """Buffers that an op reads."""
    if accel.Mma.isa(op):
        return _buffers(list(op.operands)[:2])
    if op.name in (vector.TransferRead.NAME, accel.Copy.NAME):
        return _buffers([op.operands[0]])
    return frozenset()


def _written(op: ir.Operation) -> frozenset[ir.Value]:
    """Buffers that an op writes."""
    if op.name in (vector.TransferWrite.NAME, accel.Copy.NAME):
        return _buffers([op.operands[1]])
    return frozenset()


def _buffers(values: list[ir.Value]) -> frozenset[ir.Value]:
    return frozenset(root_of(value) for value in values if is_shared(value))
