"""accel-from-tiles: kernels that schedules made loops over tiles become programs of thread blocks.

Images with padding around them, which is not in memory.

The whole of a kernel: where its results are written, and its launches.
"""

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

# Ops that say where something lies: outside of launches, too.
_PLACES = (
    *(tensor.Cast.NAME, tensor.Empty.NAME, tensor.ExtractSlice.NAME, tensor.Pad.NAME),
    *(views.COLLAPSE, views.EXPAND),
)

# Elements that one block copies at most.
LARGEST_COPY = 8192

# Values that lie elsewhere, and where they are to be copied.
Copies = list[tuple[ir.Value, Slice]]


def place(code: Emission, value: ir.Value, target: Slice) -> Copies:
    """Says that a value is computed where a result of the kernel lies, and the values that are inserted into
    it, in their parts. Returns what has to be copied, as it is not computed for this place."""
    op = defining_op(value)
    if op is None or op.name == tensor.ExtractSlice.NAME or value in code.destinations:
        return [(value, target)]
    if op.name == tensor.Empty.NAME:
        return []
    with op.location:
        code.destinations[value] = target
        if op.name in (views.COLLAPSE, views.EXPAND):
            return place(code, op.operands[0], views.before_reshape(target, op))
        if op.name == tensor.InsertSlice.NAME:
            part = part_of(code, target, SliceOp(op), tensor.InsertSlice(op).source.type.rank)
            return [*place(code, op.operands[1], target), *place(code, tensor.InsertSlice(op).source, part)]
    return []


def emit_program(code: Emission, block: ir.Block, copied: Copies) -> None:
    """Parallel loops become launches; what is computed outside of them, others of one block each."""
    for op in [each.operation for each in list(block.operations)[:-1]]:
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
    """Whether something is computed, and it is no index."""
    if op.name == arith.Constant.NAME or (
        op.name == tensor.InsertSlice.NAME and tensor.InsertSlice(op).result in code.destinations
    ):
        return False
    if op.name in _PLACES:
        return any(isinstance(code.values.get(operand), VectorTile) for operand in op.operands)
    return any(isinstance(operand.type, ir.ShapedType) for operand in (*op.operands, *op.results))


def _emit_around(code: Emission, op: ir.Operation) -> None:
    """In front of the launch that is open, if there is one."""
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
            raise PassError("a result of the kernel has to be copied by one block", ir.Location.current)
        _write(code, load(code, source), target)


def _write(code: Emission, tile: VectorTile, target: Slice) -> None:
    """What a part is put into comes before it: other threads of the block may have written that."""
    assert target.memory is not None, "results lie in memory"
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
    """Ends the launch of one block: what it computed is known by where it lies."""
    if code.body is None:
        return
    with ir.InsertionPoint(code.body):
        code.wait()
    code.body = None
    code.values.update(
        {
            value: place
            for value, place in code.destinations.items()
            if isinstance(code.values.get(value), VectorTile)
        }
    )


def pad(code: Emission, op: ir.Operation) -> None:
    """`tensor.pad` by constants: a part of the memory that begins before it and ends behind it."""
    source = code.tensor(op.operands[0])
    lows, highs = (list(op.attributes[name]) for name in ("static_low", "static_high"))
    if not isinstance(source, Slice) or source.memory is None or min(*lows, *highs) < 0:
        raise PassError("only memory can have padding, as much as is known", op.location)
    filler = arith.Constant.defining(terminator_of(op.regions[0].blocks[0]).operands[0])
    if filler is None:
        raise PassError("padding must be a constant", op.location)
    dims = list(source.dims)
    for at, low, high, total in zip(source.kept, lows, highs, op.results[0].type.shape, strict=True):
        if at is not None and low + high:
            dim = dims[at]
            dims[at] = SliceDim(
                add(dim.offset, -low), dim.stride, Extent(total, total), dim.ends, inside=False
            )
    value = filler.value.value
    code.values[op.results[0]] = Slice(source.memory, tuple(dims), source.kept, value)


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
    """Puts a kernel on memrefs, inputs then outputs, in place of one on tensors. Raises PassError."""
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
