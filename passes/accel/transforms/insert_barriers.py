"""accel-insert-barriers: warps of a block synchronise between conflicting accesses to shared memory."""

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
    """Buffers that warps have read and written since the last barrier. Asynchronous copies do not count as
    writes, since a wait, which is a barrier, precedes the reads of their results."""

    read: frozenset[ir.Value] = frozenset()
    written: frozenset[ir.Value] = frozenset()

    def union(self, other: Accesses) -> Accesses:
        """Returns the buffers that either has read and those that either has written."""
        return Accesses(self.read | other.read, self.written | other.written)


@dataclass(frozen=True)
class InsertBarriers(Pass):
    """Inserts a barrier before an op that writes shared memory that other warps may still read or write, and
    before one that reads what other warps have written. Programs on tiles have no barriers. Loops are walked
    twice, since their first op follows their last one.

    A second run changes nothing.
    """

    name: ClassVar[str] = "accel-insert-barriers"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for launch in collect_ops(op, accel.Launch.NAME):
            walk = Walk(insert=True)
            walk.block(accel.Launch(launch).entry_block, Accesses())
            changed |= walk.changed
        return changed


@dataclass
class Walk:
    """A walk in program order; without `insert` it only determines the open accesses, those since the last
    barrier."""

    insert: bool
    changed: bool = False

    def block(self, block: ir.Block, open_accesses: Accesses) -> Accesses:
        """Returns the open accesses after the block."""
        for op in list(block.operations):
            open_accesses = self.op(op.operation, open_accesses)
        return open_accesses

    def op(self, op: ir.Operation, before: Accesses) -> Accesses:
        """Returns the open accesses after `op`; inserts a barrier before it if it conflicts with `before`."""
        if op.name in _BARRIERS:
            return Accesses()
        if len(op.regions):
            return self.regions(op, before)
        read, written = _read_buffers(op), _written_buffers(op)
        if written & (before.read | before.written) or read & before.written:
            self.barrier(op)
            before = Accesses()
        plain = frozenset() if op.name == accel.Copy.NAME else written
        return before.union(Accesses(read, plain))

    def regions(self, op: ir.Operation, before: Accesses) -> Accesses:
        """Returns the open accesses after a loop, whose trip count may be 0 or more than 1, or after a
        branch."""
        blocks = [block for region in op.regions for block in region]
        if op.name.startswith(scf.For.NAME) or op.name == scf.While.NAME:
            for block in blocks:
                before = before.union(Walk(insert=False).block(block, before))
        after = before if op.name.startswith("scf") else Accesses()
        for block in blocks:
            after = after.union(self.block(block, before))
        return after

    def barrier(self, op: ir.Operation) -> None:
        """Inserts a barrier before `op`, unless the walk only determines open accesses."""
        if self.insert:
            with ir.InsertionPoint(op), op.location:
                gpu.BarrierOp()
            self.changed = True


def _read_buffers(op: ir.Operation) -> frozenset[ir.Value]:
    """Buffers that an op reads."""
    if accel.Mma.isa(op):
        return _buffers([accel.Mma(op).a, accel.Mma(op).b])
    if op.name in (vector.TransferRead.NAME, accel.Copy.NAME):
        return _buffers([op.operands[0]])
    return frozenset()


def _written_buffers(op: ir.Operation) -> frozenset[ir.Value]:
    """Buffers that an op writes."""
    if op.name in (vector.TransferWrite.NAME, accel.Copy.NAME):
        return _buffers([op.operands[1]])
    return frozenset()


def _buffers(values: list[ir.Value]) -> frozenset[ir.Value]:
    return frozenset(root_of(value) for value in values if is_shared(value))
