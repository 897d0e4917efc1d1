"""Tiles between memory and values, as loops over what lies inside of the memory.

Sequential loops over boxes, and over what of them lies inside of a memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import arith, bufferization, ir, linalg, memref, scf, tensor
from mlc.dialects.accel import box_of, is_shared
from mlc.passes.accel.cpu.types import cpu_type
from mlc.passes.common.linalg_builders import constant, index_value

Indices = Sequence[ir.Value]

Body = Callable[[Indices], None]


def nest(bounds: Sequence[tuple[ir.Value, ir.Value]], body: Body) -> None:
    """Sequential loops from each first bound to before the second; `body` gets their indices."""

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
    if memory.type.is_dynamic_dim(dim):
        return memref.DimOp(memory, index_value(dim)).result
    return index_value(memory.type.shape[dim])


def inside(memory: ir.Value, dim: int, start: ir.Value, extent: int, apart: int) -> tuple[ir.Value, ir.Value]:
    """From where to where the `extent` places, `apart` from each other, from `start` on lie inside of a dim,
    counted from `start`."""
    zero = index_value(0)
    first = arith.maxsi(zero, _pieces(arith.subi(zero, start), apart))
    end = arith.minsi(index_value(extent), _pieces(arith.subi(extent_of(memory, dim), start), apart))
    return first, end


def _pieces(length: ir.Value, apart: int) -> ir.Value:
    """How many steps of that size it takes to cover a length."""
    return length if apart == 1 else arith.ceildivsi(length, index_value(apart))


def over_inside(
    memory: ir.Value, starts: Indices, extents: Sequence[int], body: Callable, apart: Sequence[int] = ()
) -> None:
    """Loops over the part inside of `memory` of a box of `extents` from `starts` on, whose places are `apart`
    from each other, 1 unless given; `body` gets the indices in the box, and those in the memory."""
    apart = apart or [1] * len(extents)
    bounds = [inside(memory, dim, *each) for dim, each in enumerate(zip(starts, extents, apart, strict=True))]

    def at(steps: Indices) -> None:
        places = [
            arith.addi(start, step if by == 1 else arith.muli(step, index_value(by)))
            for start, step, by in zip(starts, steps, apart, strict=True)
        ]
        body(steps, places)

    nest(bounds, at)


def new_buffer(kind: ir.RankedTensorType | ir.MemRefType) -> ir.Value:
    """Memory for a tile."""
    return memref.AllocOp(ir.MemRefType.get(kind.shape, kind.element_type), [], []).result


def as_tensor(memory: ir.Value, *, writable: bool) -> ir.Value:
    """What lies in a buffer at this place of the program; `writable` if nothing else reads it later."""
    kind = ir.RankedTensorType.get(memory.type.shape, memory.type.element_type)
    return bufferization.ToTensorOp(kind, memory, restrict=True, writable=writable).result


def lower_alloc(op: ir.Operation, _operands: Indices) -> list[ir.Value]:
    return [new_buffer(cpu_type(op.results[0].type))]


def lower_copy(op: ir.Operation, operands: Indices) -> list[None]:
    """The copy ends before the next op, so that nobody has to wait for its token."""
    source, destination, *starts = operands
    into_shared = is_shared(op.operands[1])
    tile, whole = (destination, source) if into_shared else (source, destination)
    box, apart = box_of(op)
    if into_shared:
        linalg.fill(constant(tile.type.element_type, 0), outs=[tile])

    def element(steps: Indices, places: Indices) -> None:
        inner = _place_in_tile(steps, box, tile.type.shape)
        read, write = (places, inner) if into_shared else (inner, places)
        memref.StoreOp(memref.LoadOp(source, list(read)).result, destination, list(write))

    over_inside(whole, starts, box, element, apart)
    return [None]


def _place_in_tile(steps: Indices, box: Sequence[int], shape: Sequence[int]) -> list[ir.Value]:
    """Where in a tile of `shape`, which holds a box one element after the other, that at `steps` lies."""
    missing = len(box) - len(shape)
    if missing >= 0 and list(box) == [1] * missing + list(shape):
        return list(steps)[missing:]
    number = index_value(0)
    for step, extent in zip(steps, box, strict=True):
        number = arith.addi(arith.muli(number, index_value(extent)), step)
    places: list[ir.Value] = []
    for extent in reversed(shape):
        places.append(arith.remui(number, index_value(extent)))
        number = arith.divui(number, index_value(extent))
    return places[::-1]


def _segments(op: ir.Operation, operands: Indices) -> list[list[ir.Value]]:
    """The operands, by group."""
    groups, at = [], 0
    for size in op.attributes["operandSegmentSizes"]:
        groups.append(list(operands[at : at + size]))
        at += size
    return groups


def _dims_of_memory(op: ir.Operation) -> list[int | None]:
    """Which dim of the memory each dim of the tile runs along; None where it repeats an element."""
    places = op.attributes["permutation_map"].value.results
    return [place.position if isinstance(place, ir.AffineDimExpr) else None for place in places]


def _extents(rank: int, dims: Sequence[int | None], shape: Sequence[int]) -> list[int]:
    """The extents of the box in a memory of `rank` dims that a tile of `shape` covers."""
    return [shape[dims.index(dim)] if dim in dims else 1 for dim in range(rank)]


def _masked(mask: list[ir.Value], dims: Sequence[int | None], steps: Indices) -> ir.Value | None:
    """The mask's element for the place at `steps` of the box, None without a mask. Its dims have the order of
    the memory's."""
    if not mask:
        return None
    known = sorted(dim for dim in dims if dim is not None)
    return tensor.ExtractOp(mask[0], [steps[dim] for dim in known]).result


def lower_transfer_read(op: ir.Operation, operands: Indices) -> list[ir.Value]:
    (memory,), starts, (padding,), mask = _segments(op, operands)
    kind, dims = cpu_type(op.results[0].type), _dims_of_memory(op)
    buffer = new_buffer(kind)
    linalg.fill(padding, outs=[buffer])
    repeated = [extent for extent, dim in zip(kind.shape, dims, strict=True) if dim is None]

    def element(steps: Indices, places: Indices) -> None:
        number = memref.LoadOp(memory, list(places)).result
        chosen = _masked(mask, dims, steps)
        if chosen is not None:
            number = arith.select(chosen, number, padding)

        def store(repeats: Indices) -> None:
            rest = iter(repeats)
            memref.StoreOp(number, buffer, [next(rest) if dim is None else steps[dim] for dim in dims])

        nest([(index_value(0), index_value(extent)) for extent in repeated], store)

    over_inside(memory, starts, _extents(memory.type.rank, dims, kind.shape), element)
    return [as_tensor(buffer, writable=True)]


def lower_transfer_write(op: ir.Operation, operands: Indices) -> list[ir.Value]:
    (value,), (memory,), starts, mask = _segments(op, operands)
    dims = _dims_of_memory(op)

    def store(steps: Indices, places: Indices) -> None:
        number = tensor.ExtractOp(value, [steps[dim] for dim in dims if dim is not None]).result
        memref.StoreOp(number, memory, list(places))

    def element(steps: Indices, places: Indices) -> None:
        chosen = _masked(mask, dims, steps)
        if chosen is None:
            return store(steps, places)
        with ir.InsertionPoint(scf.IfOp(chosen).then_block):
            store(steps, places)
            scf.YieldOp([])

    over_inside(memory, starts, _extents(memory.type.rank, dims, value.type.shape), element)
    return []


def lower_gather(op: ir.Operation, operands: Indices) -> list[ir.Value]:
    """Element by element: what the mask leaves out is not read."""
    memory, *start, places, mask, otherwise = operands
    kind = cpu_type(op.results[0].type)
    buffer = new_buffer(kind)

    def element(at: Indices) -> None:
        chosen = scf.IfOp(tensor.ExtractOp(mask, list(at)).result, [kind.element_type], has_else=True)
        with ir.InsertionPoint(chosen.then_block):
            place = arith.addi(start[-1], tensor.ExtractOp(places, list(at)).result)
            scf.YieldOp([memref.LoadOp(memory, [*start[:-1], place]).result])
        with ir.InsertionPoint(chosen.else_block):
            scf.YieldOp([tensor.ExtractOp(otherwise, list(at)).result])
        memref.StoreOp(chosen.results[0], buffer, list(at))

    nest([(index_value(0), index_value(extent)) for extent in kind.shape], element)
    return [as_tensor(buffer, writable=True)]
