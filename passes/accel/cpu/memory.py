"""Lowering of transfers and copies of tiles to sequential loops over the elements inside of the memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import arith, bufferization, ir, linalg, memref, scf, tensor, vector
from mlc.dialects import accel
from mlc.dialects.accel import box_of, is_shared
from mlc.passes.accel.cpu.types import cpu_type
from mlc.passes.common.linalg_builders import constant, index_value

Indices = Sequence[ir.Value]

Body = Callable[[Indices], None]


def nest(bounds: Sequence[tuple[ir.Value, ir.Value]], body: Body) -> None:
    """Builds nested sequential loops, one for each pair of lower and upper bound; `body` gets their
    indices."""

    def build(indices: list[ir.Value]) -> None:
        if len(indices) == len(bounds):
            return body(indices)
        first, end = bounds[len(indices)]
        loop = scf.ForOp(first, end, index_value(1))
        with ir.InsertionPoint(loop.body):
            build([*indices, loop.induction_variable])
            scf.YieldOp([])

    build([])


def extent_of(memory: ir.Value, dim: int) -> ir.Value:
    """Returns the extent of a memref along a dim."""
    if memory.type.is_dynamic_dim(dim):
        return memref.DimOp(memory, index_value(dim)).result
    return index_value(memory.type.shape[dim])


def inside(
    memory: ir.Value, dim: int, start: ir.Value, extent: int, stride: int
) -> tuple[ir.Value, ir.Value]:
    """Returns the range of `i` in [0, extent) for which `start + i * stride` is an index of the dim."""
    zero = index_value(0)
    first = arith.maxsi(zero, _steps(arith.subi(zero, start), stride))
    end = arith.minsi(index_value(extent), _steps(arith.subi(extent_of(memory, dim), start), stride))
    return first, end


def _steps(length: ir.Value, stride: int) -> ir.Value:
    """The number of steps that cover a length."""
    return length if stride == 1 else arith.ceildivsi(length, index_value(stride))


def over_inside(
    memory: ir.Value, starts: Indices, extents: Sequence[int], body: Callable, strides: Sequence[int] = ()
) -> None:
    """Builds loops over the part inside of `memory` of a box of `extents` from `starts` on, with `strides`, 1
    unless given; `body` gets the indices in the box, and those in the memory."""
    strides = strides or [1] * len(extents)
    dims = zip(starts, extents, strides, strict=True)
    bounds = [inside(memory, dim, *box) for dim, box in enumerate(dims)]

    def at(steps: Indices) -> None:
        indices = [
            arith.addi(start, step if by == 1 else arith.muli(step, index_value(by)))
            for start, step, by in zip(starts, steps, strides, strict=True)
        ]
        body(steps, indices)

    nest(bounds, at)


def new_buffer(tile: ir.RankedTensorType | ir.MemRefType) -> ir.Value:
    """Allocates memory for a tile."""
    return memref.AllocOp(ir.MemRefType.get(tile.shape, tile.element_type), [], []).result


def as_tensor(memory: ir.Value, *, writable: bool) -> ir.Value:
    """Returns a buffer as a tensor at the insertion point; `writable` if nothing else reads it later."""
    tensor_type = ir.RankedTensorType.get(memory.type.shape, memory.type.element_type)
    return bufferization.ToTensorOp(tensor_type, memory, restrict=True, writable=writable).result


def lower_alloc(op: ir.Operation, _operands: Indices) -> list[ir.Value]:
    """Lowers `accel.alloc` and `accel.reuse` to a separate buffer."""
    return [new_buffer(cpu_type(op.results[0].type))]


def lower_copy(op: ir.Operation, operands: Indices) -> list[None]:
    """Lowers `accel.copy`; the copy ends before the next op, so that its token has no value."""
    source, destination, *starts = operands
    into_shared = is_shared(accel.Copy(op).destination)
    tile, whole = (destination, source) if into_shared else (source, destination)
    box, strides = box_of(op)
    if into_shared:
        linalg.fill(constant(tile.type.element_type, 0), outs=[tile])

    def element(steps: Indices, indices: Indices) -> None:
        inner = _tile_indices(steps, box, tile.type.shape)
        read, write = (indices, inner) if into_shared else (inner, indices)
        memref.StoreOp(memref.LoadOp(source, list(read)).result, destination, list(write))

    over_inside(whole, starts, box, element, strides)
    return [None]


def _tile_indices(steps: Indices, box: Sequence[int], shape: Sequence[int]) -> list[ir.Value]:
    """The indices in a tile of `shape` of the element at `steps` in a box, whose elements it holds in
    row-major order."""
    missing = len(box) - len(shape)
    if missing >= 0 and list(box) == [1] * missing + list(shape):
        return list(steps)[missing:]
    linear = index_value(0)
    for step, extent in zip(steps, box, strict=True):
        linear = arith.addi(arith.muli(linear, index_value(extent)), step)
    indices: list[ir.Value] = []
    for extent in reversed(shape):
        indices.append(arith.remui(linear, index_value(extent)))
        linear = arith.divui(linear, index_value(extent))
    return indices[::-1]


def _segments(op: ir.Operation, operands: Indices) -> list[list[ir.Value]]:
    """The new operands of an op by segments."""
    groups, at = [], 0
    for size in op.attributes["operandSegmentSizes"]:
        groups.append(list(operands[at : at + size]))
        at += size
    return groups


def _dims_of_memory(op: ir.Operation) -> list[int | None]:
    """The dim of the memory that each dim of the tile is along; None where it repeats an element."""
    results = op.attributes["permutation_map"].value.results
    return [dim.position if isinstance(dim, ir.AffineDimExpr) else None for dim in results]


def _extents(rank: int, dims: Sequence[int | None], shape: Sequence[int]) -> list[int]:
    """The extents of the box in a memory of `rank` dims that a tile of `shape` covers."""
    return [shape[dims.index(dim)] if dim in dims else 1 for dim in range(rank)]


def _mask_element(mask: list[ir.Value], dims: Sequence[int | None], steps: Indices) -> ir.Value | None:
    """The mask's element for the indices `steps` in the box, None without a mask. Its dims have the order of
    the memory's."""
    if not mask:
        return None
    known = sorted(dim for dim in dims if dim is not None)
    return tensor.ExtractOp(mask[0], [steps[dim] for dim in known]).result


def lower_transfer_read(op: ir.Operation, operands: Indices) -> list[ir.Value]:
    """Lowers `vector.transfer_read` to loops that fill a buffer."""
    (memory,), starts, (padding,), mask = _segments(op, operands)
    tile, dims = cpu_type(vector.TransferRead(op).vector.type), _dims_of_memory(op)
    buffer = new_buffer(tile)
    linalg.fill(padding, outs=[buffer])
    repeated = [extent for extent, dim in zip(tile.shape, dims, strict=True) if dim is None]

    def element(steps: Indices, indices: Indices) -> None:
        value = memref.LoadOp(memory, list(indices)).result
        chosen = _mask_element(mask, dims, steps)
        if chosen is not None:
            value = arith.select(chosen, value, padding)

        def store(repeats: Indices) -> None:
            rest = iter(repeats)
            memref.StoreOp(value, buffer, [next(rest) if dim is None else steps[dim] for dim in dims])

        nest([(index_value(0), index_value(extent)) for extent in repeated], store)

    over_inside(memory, starts, _extents(memory.type.rank, dims, tile.shape), element)
    return [as_tensor(buffer, writable=True)]


def lower_transfer_write(op: ir.Operation, operands: Indices) -> list[ir.Value]:
    """Lowers `vector.transfer_write` to loops of stores."""
    (tile,), (memory,), starts, mask = _segments(op, operands)
    dims = _dims_of_memory(op)

    def store(steps: Indices, indices: Indices) -> None:
        value = tensor.ExtractOp(tile, [steps[dim] for dim in dims if dim is not None]).result
        memref.StoreOp(value, memory, list(indices))

    def element(steps: Indices, indices: Indices) -> None:
        chosen = _mask_element(mask, dims, steps)
        if chosen is None:
            return store(steps, indices)
        with ir.InsertionPoint(scf.IfOp(chosen).then_block):
            store(steps, indices)
            scf.YieldOp([])

    over_inside(memory, starts, _extents(memory.type.rank, dims, tile.type.shape), element)
    return []


def lower_gather(op: ir.Operation, operands: Indices) -> list[ir.Value]:
    """Lowers `vector.gather` to loops of loads; masked elements are not read."""
    memory, *start, indices, mask, otherwise = operands
    tile = cpu_type(vector.Gather(op).result.type)
    buffer = new_buffer(tile)

    def element(at: Indices) -> None:
        chosen = scf.IfOp(tensor.ExtractOp(mask, list(at)).result, [tile.element_type], has_else=True)
        with ir.InsertionPoint(chosen.then_block):
            index = arith.addi(start[-1], tensor.ExtractOp(indices, list(at)).result)
            scf.YieldOp([memref.LoadOp(memory, [*start[:-1], index]).result])
        with ir.InsertionPoint(chosen.else_block):
            scf.YieldOp([tensor.ExtractOp(otherwise, list(at)).result])
        memref.StoreOp(chosen.results[0], buffer, list(at))

    nest([(index_value(0), index_value(extent)) for extent in tile.shape], element)
    return [as_tensor(buffer, writable=True)]
