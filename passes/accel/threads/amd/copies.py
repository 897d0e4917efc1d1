"""`accel.copy` by loads to registers and stores to shared memory (LDS).

What is copied straight to LDS (`global_load_lds`) lies there as lanes follow each other, 4 bytes of each, and
cannot be zero where the source ends. Stores come as late as they may, at the next barrier or where the loop's
body ends: meanwhile the loads are under way. So all copies have ended where a wait is, and groups of them
mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, rocdl, scf
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.copying_loops import AHEAD
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import addresses, control, pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.shared import ThreadCopy, copy_through_registers, thread_copy, where
from mlc.passes.common.constants import i32, i32_attribute

_WORD_BYTES = 4
_NOTHING_CROSSES = "#rocdl<sched_group_mask none>"


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """In pieces of up to 16 bytes."""
    wanted = thread_copy(code, op)
    size = wanted.run * element_bytes(wanted.target.element)
    if not wanted.target.shared or size < _WORD_BYTES:
        copy_through_registers(code, wanted)
        return
    pieces = [_load(code, wanted, first, size) for first in range(0, wanted.layout.size, wanted.run)]
    _keep_order()
    once = addresses.one_of_copies(code, wanted.layout, 0)
    if not code.unfinished:
        code.unfinished.append(_keep_order)
    code.unfinished.append(lambda: where(once, lambda: _store(code, wanted, pieces, size)))


def _keep_order() -> None:
    """Keeps LLVM from starting loads later, where registers are free, and from waiting for them earlier."""
    rocdl.sched_barrier(ir.Attribute.parse(_NOTHING_CROSSES))


@dataclass(frozen=True)
class Piece:
    """What a thread has loaded as words, and whether it lay inside of the memory; None if it surely did."""

    loaded: ir.Value
    inside: ir.Value | None

    def value(self) -> ir.Value:
        """Zeros where it lay outside."""
        if self.inside is None:
            return self.loaded
        kind, zero = self.loaded.type, i32_attribute(0)
        none = ir.DenseElementsAttr.get_splat(kind, zero) if isinstance(kind, ir.VectorType) else zero
        return arith.SelectOp(self.inside, self.loaded, arith.ConstantOp(kind, none).result).result


def _load(code: ThreadCode, wanted: ThreadCopy, first: int, size: int) -> Piece:
    source, word = wanted.source, i32()
    kind = word if size == _WORD_BYTES else ir.VectorType.get([size // _WORD_BYTES], word)
    place = addresses.element_coordinates(code, wanted.outside, wanted.base, first)
    inside = integers.all_of(addresses.bounds_conditions(source, place))
    pointer = pointers.element_pointer(source, place)
    if inside is not None:
        pointer = arith.SelectOp(inside, pointer, source.pointer).result
    return Piece(llvm.LoadOp(kind, pointer, alignment=size).result, inside)


def _store(code: ThreadCode, wanted: ThreadCopy, pieces: list[Piece], size: int) -> None:
    origin = [0] * len(wanted.layout.shape)
    for number, piece in enumerate(pieces):
        here = addresses.element_coordinates(code, wanted.layout, origin, number * wanted.run)
        llvm.StoreOp(piece.value(), pointers.element_pointer(wanted.target, here), alignment=size)


def branch(code: ThreadCode, op: ir.Operation) -> None:
    """`scf.if`. Copies that run ahead are started in any case: in a branch they would have to end there, and
    what lies outside of the memory is not read."""
    if AHEAD in op.attributes:
        code.emit_block(op.regions[0].blocks[0], scf.Yield.NAME)
    else:
        control.branch(code, op)


def wait(code: ThreadCode, _op: ir.Operation) -> None:
    """For the copies of others; those of this thread end before any barrier."""
    code.barrier()


def commit(_code: ThreadCode, _op: ir.Operation) -> None:
    """Groups mean nothing."""


HANDLERS = {
    accel.Commit.NAME: commit,
    accel.Copy.NAME: copy,
    accel.Wait.NAME: wait,
    accel.WaitGroups.NAME: wait,
    scf.If.NAME: branch,
}
