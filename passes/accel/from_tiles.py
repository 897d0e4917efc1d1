"""accel-from-tiles: kernels that are parallel loops over tiles become programs of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.passes.accel.memory_functions import on_memory
from mlc.passes.accel.tiles import computations, copies, launches, loops, padding, slices, views
from mlc.passes.accel.tiles.emission import Emission, Handler
from mlc.passes.accel.tiles.meanings import whole_memory
from mlc.passes.base import Pass, PassFailure
from mlc.passes.rewriting import defining_op, erase_op, terminator_of
from mlc.passes.tloop.kernel_functions import kernels_on_tensors

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
    for argument, new in zip(block.arguments, body.arguments, strict=False):
        code.values[argument] = whole_memory(new) if isinstance(new.type, ir.MemRefType) else new
    with ir.InsertionPoint(body), kernel.location:
        outputs = list(body.arguments)[len(block.arguments) :]
        for result, memory in zip(terminator_of(block).operands, outputs, strict=True):
            _write_to(code, result, memory)
        if any(each.operation.name == "scf.forall" for each in block.operations):
            code.emit_block(block)
        else:
            launches.single_block(code, block)
        func.ReturnOp([])
    erase_op(kernel)


def _write_to(code: Emission, result: ir.Value, memory: ir.Value) -> None:
    """Says where the loop that computes a result of the kernel writes to."""
    op = defining_op(result)
    while op is not None and op.name in views.HANDLERS:
        memory = views.before_reshape(memory, op)
        result = op.operands[0]
        op = defining_op(result)
    if op is None or result in code.destinations:
        raise PassFailure("a result of the kernel is not computed by a loop of its own", result.location)
    code.destinations[result] = memory


@dataclass(frozen=True)
class FromTiles(Pass):
    """Make an `accel.launch` of each parallel loop of a kernel, whose slices of tensors become tiles.

    A kernel must be scheduled: all of its computations are in `scf.forall` loops, which count the tiles of
    its results. Then every computation is one on vectors, whose extents are the next powers of two: what a
    slice is shorter is padding, which nobody stores, and which takes no part in reductions. Sums of products
    of rows and columns become `accel.mma`; copies that `tloop.cache_read` made become `accel.copy` into
    shared memory. A kernel without such a loop is a launch of one block.
    """

    name: ClassVar[str] = "accel-from-tiles"

    def run(self, op: ir.Operation) -> bool:
        kernels = kernels_on_tensors(op)
        for kernel in kernels:
            lower_kernel(kernel)
        return bool(kernels)
