"""`accel.copy` by loads to registers and stores to shared memory (LDS).

`global_load_lds` copies to LDS directly, but to consecutive words in the order of lanes, and cannot pad with
zeros. Stores are delayed to the next barrier or the end of the loop's body: meanwhile the loads are in
flight. All copies have therefore ended at a wait, and groups of copies need no code.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, rocdl, scf
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.copying_loops import AHEAD
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import addresses, control, pointers
from mlc.passes.accel.threads.common.accesses import emit_if
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.shared import ThreadCopy, copy_through_registers, thread_copy
from mlc.passes.common.constants import i32, i32_attribute

_WORD_BYTES = 4
_NOTHING_CROSSES = "#rocdl<sched_group_mask none>"


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.copy`, in chunks of up to 16 bytes."""
    part = thread_copy(code, op)
    size = part.run * element_bytes(part.target.element)
    if not part.target.shared or size < _WORD_BYTES:
        copy_through_registers(code, part)
        return
    chunks = [_load(code, part, first, size) for first in range(0, part.layout.size, part.run)]
    _keep_order()
    once = addresses.one_of_copies(code, part.layout, 0)
    if not code.unfinished:
        code.unfinished.append(_keep_order)
    code.unfinished.append(lambda: emit_if(once, lambda: _store(code, part, chunks, size)))


def _keep_order() -> None:
    """Emits a scheduling barrier: LLVM would delay loads to save registers, or wait for them too early."""
    rocdl.sched_barrier(ir.Attribute.parse(_NOTHING_CROSSES))


@dataclass(frozen=True)
class LoadedChunk:
    """A chunk that a thread has loaded as words, and whether it is within bounds; None if it provably is."""

    loaded: ir.Value
    in_bounds: ir.Value | None

    def value(self) -> ir.Value:
        """Returns the chunk, or zeros if it is out of bounds."""
        if self.in_bounds is None:
            return self.loaded
        words, zero = self.loaded.type, i32_attribute(0)
        zeros = ir.DenseElementsAttr.get_splat(words, zero) if isinstance(words, ir.VectorType) else zero
        return arith.SelectOp(self.in_bounds, self.loaded, arith.ConstantOp(words, zeros).result).result


def _load(code: ThreadCode, part: ThreadCopy, first: int, size: int) -> LoadedChunk:
    source, word = part.source, i32()
    words = word if size == _WORD_BYTES else ir.VectorType.get([size // _WORD_BYTES], word)
    coordinates = addresses.element_coordinates(code, part.outside, part.base, first)
    in_bounds = integers.all_of(addresses.bounds_conditions(source, coordinates))
    pointer = pointers.element_pointer(source, coordinates)
    if in_bounds is not None:
        pointer = arith.SelectOp(in_bounds, pointer, source.pointer).result
    return LoadedChunk(llvm.LoadOp(words, pointer, alignment=size).result, in_bounds)


def _store(code: ThreadCode, part: ThreadCopy, chunks: list[LoadedChunk], size: int) -> None:
    origin = [0] * len(part.layout.shape)
    for index, chunk in enumerate(chunks):
        coordinates = addresses.element_coordinates(code, part.layout, origin, index * part.run)
        llvm.StoreOp(chunk.value(), pointers.element_pointer(part.target, coordinates), alignment=size)


def branch(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `scf.if`. Copies ahead are started unconditionally: in a branch they would have to complete at
    its end, and elements out of bounds are not read anyway."""
    if AHEAD in op.attributes:
        code.emit_block(scf.If(op).entry_block, scf.Yield.NAME)
    else:
        control.branch(code, op)


def wait(code: ThreadCode, _op: ir.Operation) -> None:
    """Emits an `accel.wait` for the copies of others; those of this thread complete at any barrier."""
    code.barrier()


def commit(_code: ThreadCode, _op: ir.Operation) -> None:
    """Emits nothing for an `accel.commit`."""


HANDLERS = {
    accel.Commit.NAME: commit,
    accel.Copy.NAME: copy,
    accel.Wait.NAME: wait,
    accel.WaitGroups.NAME: wait,
    scf.If.NAME: branch,
}
