"""accel-from-tiles: lowers kernels, which schedules made loops over tiles, to programs of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, func, gpu, ir, scf, tensor
from mlc.passes.accel.common.memory_functions import on_memory
from mlc.passes.accel.tiles import computations, copies, launches, loops, slices, views
from mlc.passes.accel.tiles.emission import Emission, Handler
from mlc.passes.accel.tiles.launches import launch
from mlc.passes.accel.tiles.representations import Extent, Slice, SliceDim, VectorTile, add, whole_memory
from mlc.passes.accel.tiles.slices import SliceOp, part_of
from mlc.passes.accel.tiles.transfers import load, root_memory, write
from mlc.passes.base import Pass, PassError
from mlc.passes.common.kernel_functions import kernels_on_tensors
from mlc.passes.common.rewriting import defining_op, erase_op, terminator_of

# Ops that only determine where a tensor is stored; they are emitted outside of launches, too.
_STORAGE_OPS = (
    *(tensor.Cast.NAME, tensor.Empty.NAME, tensor.ExtractSlice.NAME, tensor.Pad.NAME),
    *(views.COLLAPSE, views.EXPAND),
)

# The most elements that one block copies.
LARGEST_COPY = 8192

# Values that are not computed in their destinations, to which they must be copied.
Copies = list[tuple[ir.Value, Slice]]


def assign_destination(code: Emission, value: ir.Value, target: Slice) -> Copies:
    """Assigns a slice of a kernel's result as the destination of a value, and its parts to the values
    inserted into it. Returns the values that must be copied, since they are not computed for this
    destination."""
    op = defining_op(value)
    if op is None or op.name == tensor.ExtractSlice.NAME or value in code.destinations:
        return [(value, target)]
    if op.name == tensor.Empty.NAME:
        return []
    with op.location:
        code.destinations[value] = target
        if op.name in (views.COLLAPSE, views.EXPAND):
            return assign_destination(code, views.Reshape(op).src, views.before_reshape(target, op))
        if op.name == tensor.InsertSlice.NAME:
            insert = tensor.InsertSlice(op)
            part = part_of(code, target, SliceOp(op), insert.source.type.rank)
            copies = assign_destination(code, insert.dest, target)
            return [*copies, *assign_destination(code, insert.source, part)]
    return []


def emit_program(code: Emission, block: ir.Block, copied: Copies) -> None:
    """Emits parallel loops as launches, and the computations between them as launches of one block."""
    for op in [op.operation for op in block.operations][:-1]:
        if op.name == scf.Forall.NAME:
            _close(code)
            code.emit(op)
        elif _needs_block(code, op):
            _emit_in_block(code, op)
        else:
            _emit_around(code, op)
    for value, target in copied:
        _copy(code, value, target)
    _close(code)


def _needs_block(code: Emission, op: ir.Operation) -> bool:
    """Whether an op computes elements of tensors."""
    if op.name == arith.Constant.NAME or (
        op.name == tensor.InsertSlice.NAME and tensor.InsertSlice(op).result in code.destinations
    ):
        return False
    if op.name in _STORAGE_OPS:
        return any(isinstance(code.values.get(operand), VectorTile) for operand in op.operands)
    return any(isinstance(operand.type, ir.ShapedType) for operand in (*op.operands, *op.results))


def _emit_around(code: Emission, op: ir.Operation) -> None:
    """Emits an op before the open launch, if there is one."""
    if code.body is None:
        code.emit(op)
        return
    with ir.InsertionPoint(code.body.owner):
        code.emit(op)


def _emit_in_block(code: Emission, op: ir.Operation) -> None:
    with ir.InsertionPoint(_open(code)):
        code.emit(op)
        for result in op.results:
            tile = code.values[result]
            if result in code.destinations and isinstance(tile, VectorTile):
                with op.location:
                    _write(code, tile, code.destinations[result])


def _copy(code: Emission, value: ir.Value, target: Slice) -> None:
    with ir.InsertionPoint(_open(code)):
        source = code.tensor(value)
        if isinstance(source, VectorTile):
            _write(code, source, target)
            return
        if not isinstance(source, Slice) or source.memory is None:
            raise PassError("a result of the kernel is not computed", ir.Location.current)
        if prod(extent.padded for extent in source.extents) > LARGEST_COPY:
            raise PassError(
                "a result of the kernel must be copied, and is too large for one block", ir.Location.current
            )
        _write(code, load(code, source), target)


def _write(code: Emission, tile: VectorTile, target: Slice) -> None:
    """Writes a tile; after a barrier if threads of the block have written the same memory."""
    assert target.memory is not None, "results are in memory"
    memory = root_memory(target.memory)
    if memory in code.written:
        gpu.BarrierOp()
    code.written.append(memory)
    write(code, tile, target)


def _open(code: Emission) -> ir.Block:
    if code.body is None:
        code.body, code.written = launch([1]), []
    return code.body


def _close(code: Emission) -> None:
    """Ends the launch of one block; the tensors that it computed are in their destinations."""
    if code.body is None:
        return
    with ir.InsertionPoint(code.body):
        code.wait()
    code.body = None
    code.values.update(
        {
            value: destination
            for value, destination in code.destinations.items()
            if isinstance(code.values.get(value), VectorTile)
        }
    )


def pad(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.pad` by constants: a slice that begins before its memory and ends after it."""
    view = tensor.Pad(op)
    source, lows, highs = code.tensor(view.source), view.static_low, view.static_high
    if not isinstance(source, Slice) or source.memory is None or min(*lows, *highs) < 0:
        raise PassError("only tensors in memory can have padding, of static extents", op.location)
    padding = arith.Constant.defining(tensor.Yield(terminator_of(view.entry_block)).value)
    if padding is None:
        raise PassError("padding must be a constant", op.location)
    dims = list(source.dims)
    for at, low, high, total in zip(source.kept, lows, highs, view.result.type.shape, strict=True):
        if at is not None and low + high:
            dim = dims[at]
            dims[at] = SliceDim(
                add(dim.offset, -low), dim.stride, Extent(total, total), dim.ends, inside=False
            )
    code.values[view.result] = Slice(source.memory, tuple(dims), source.kept, padding.value.value)


PADDING_HANDLERS = {tensor.Pad.NAME: pad}


_HANDLERS: dict[str, Handler] = {
    **computations.HANDLERS,
    **copies.HANDLERS,
    **launches.HANDLERS,
    **loops.HANDLERS,
    **PADDING_HANDLERS,
    **slices.HANDLERS,
    **views.HANDLERS,
}


def lower_kernel(kernel: ir.Operation) -> None:
    """Replaces a kernel on tensors by one on memrefs, inputs then outputs. Raises PassError."""
    block, body = func.Func(kernel).entry_block, on_memory(kernel)
    code = Emission(_HANDLERS)
    code.results = list(body.arguments)[len(block.arguments) :]
    with ir.InsertionPoint(body), kernel.location:
        for argument, new in zip(block.arguments, body.arguments, strict=False):
            code.values[argument] = whole_memory(new) if isinstance(new.type, ir.MemRefType) else new
        copied: Copies = []
        for result, memory in zip(terminator_of(block).operands, code.results, strict=True):
            copied += assign_destination(code, result, whole_memory(memory))
        emit_program(code, block, copied)
        func.ReturnOp([])
    erase_op(kernel)


@dataclass(frozen=True)
class FromTiles(Pass):
    """Lowers each parallel loop of a kernel to an `accel.launch`, and slices of tensors to tiles.

    `scf.forall` loops enumerate the tiles of a result, or of a slice that is inserted into one; a single
    block computes the ops outside of them. Computations become ones on vectors whose extents are the next
    powers of two: elements past the end of a slice are padding, which is not stored and takes no part in
    reductions. Matrix multiplications become `accel.mma`, copies by `tloop.cache_read` become `accel.copy`
    into shared memory, and accesses at computed indices become `vector.gather`."""

    name: ClassVar[str] = "accel-from-tiles"

    def run(self, op: ir.Operation) -> bool:
        kernels = kernels_on_tensors(op)
        for kernel in kernels:
            lower_kernel(kernel)
        return bool(kernels)
