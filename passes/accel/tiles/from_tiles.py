"""accel-from-tiles: kernels that schedules made loops over tiles become programs of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.passes.accel.common.memory_functions import on_memory
from mlc.passes.accel.tiles import computations, copies, launches, loops, padding, slices, views
from mlc.passes.accel.tiles.emission import Emission, Handler
from mlc.passes.accel.tiles.programs import emit_program, place
from mlc.passes.accel.tiles.representations import Slice, whole_memory
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import kernels_on_tensors
from mlc.passes.common.rewriting import erase_op, terminator_of

_HANDLERS: dict[str, Handler] = {
    **computations.HANDLERS,
    **copies.HANDLERS,
    **launches.HANDLERS,
    **loops.HANDLERS,
    **padding.HANDLERS,
    **slices.HANDLERS,
    **views.HANDLERS,
}


def lower_kernel(kernel: ir.Operation) -> None:
    """Puts a kernel on memrefs, inputs then outputs, in place of one on tensors. Raises PassFailure."""
    block, body = kernel.regions[0].blocks[0], on_memory(kernel)
    code = Emission(_HANDLERS)
    code.results = list(body.arguments)[len(block.arguments) :]
    with ir.InsertionPoint(body), kernel.location:
        for argument, new in zip(block.arguments, body.arguments, strict=False):
            code.values[argument] = whole_memory(new) if isinstance(new.type, ir.MemRefType) else new
        copied: list[tuple[ir.Value, Slice]] = []
        for result, memory in zip(terminator_of(block).operands, code.results, strict=True):
            copied += place(code, result, whole_memory(memory))
        emit_program(code, block, copied)
        func.ReturnOp([])
    erase_op(kernel)


@dataclass(frozen=True)
class FromTiles(Pass):
    """Make an `accel.launch` of each parallel loop of a kernel, whose slices of tensors become tiles.

    Loops `scf.forall` count the tiles of a result, or of a part that is inserted into one; what is computed
    outside of them is the work of a single block. Every computation becomes one on vectors, whose extents are
    the next powers of two: what a slice is shorter is padding, which nobody stores, and which takes no part
    in reductions. Sums of products of rows and columns become `accel.mma`; copies that `tloop.cache_read`
    made become `accel.copy` into shared memory; elements at computed places are `vector.gather`.
    """

    name: ClassVar[str] = "accel-from-tiles"

    def run(self, op: ir.Operation) -> bool:
        kernels = kernels_on_tensors(op)
        for kernel in kernels:
            lower_kernel(kernel)
        return bool(kernels)
