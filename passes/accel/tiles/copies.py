"""Tiles that are copied into shared memory: what `tloop.cache_read` asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from mlc.bindings import bufferization, ir
from mlc.dialects import accel
from mlc.passes.accel.common.buffers import new_matrix
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.operands import OperandIndex, accesses
from mlc.passes.accel.tiles.representations import (
    UNIT,
    Cached,
    SharedTile,
    Slice,
    add,
    as_value,
    multiply,
)
from mlc.passes.accel.tiles.slices import empty
from mlc.passes.base import PassError


def copy(code: Emission, op: ir.Operation) -> None:
    """`bufferization.materialize_in_destination`: the same part, for which shared memory is asked."""
    source, target = code.tensor(op.operands[0]), code.tensor(op.operands[1])
    if not isinstance(source, Slice) or source.memory is None:
        raise PassError("only what lies in memory can be copied into a buffer of its own", op.location)
    assert isinstance(target, Slice) and target.memory is None, "a copy goes where nothing is"
    code.values[op.results[0]] = Cached(source.memory, source.dims, source.kept, source.padding)


@contextmanager
def copies_of(code: Emission, space: Space) -> Iterator[None]:
    """Inside the `with` block, the operands of a computation that are cached lie in shared memory."""
    computation = space.computation
    saved = {each: code.values[each] for each in computation.op.operands if each in code.values}
    for operand, access in zip(computation.inputs, computation.maps, strict=False):
        source = code.values.get(operand)
        if isinstance(source, Cached):
            code.values[operand] = _copied(code, source, accesses(access, space), space)
    yield
    code.values.update(saved)


def _copied(code: Emission, source: Cached, read: list[OperandIndex], space: Space) -> SharedTile:
    """Starts to copy what the computation reads: as many elements along each dim as it has places there."""
    memory, op = source.memory, space.computation.op
    assert memory is not None, "what is cached lies in memory"
    rank = len(source.dims)
    offsets, box, steps = [each.offset for each in source.dims], [1] * rank, [1] * rank
    for at, each in zip(source.kept, read, strict=True):
        if at is None:
            continue
        dim = source.dims[at]
        offsets[at] = add(offsets[at], multiply(each.constant, dim.stride))
        if each.dim is not None:
            box[at], steps[at] = space.shape[each.dim], each.factor * dim.stride
            if each.dim in space.computation.reductions and not (space.extents[each.dim].whole or dim.ends):
                raise PassError("a part of a reduction cannot be copied: more follows it", op.location)
    if source.padding != 0 and not all(each.inside for each in source.dims):
        raise PassError("copies put zeros around a memory, and nothing else", op.location)
    buffer = _alloc(code, box, ir.MemRefType(memory.type).element_type)
    attributes = {"steps": ir.DenseI64ArrayAttr.get(steps)} if any(step > 1 for step in steps) else {}
    if box[-2:] != list(buffer.type.shape):
        attributes["box"] = ir.DenseI64ArrayAttr.get(box)
    operands = [memory, buffer, *map(as_value, offsets)]
    token = ir.Operation.create(
        accel.Copy.NAME, [ir.Type.parse("!accel.token")], operands, attributes
    ).results[0]
    code.tokens.append(token)
    return SharedTile(buffer, tuple(UNIT if each.dim is None else space.extents[each.dim] for each in read))


def _alloc(code: Emission, box: list[int], element: ir.Type) -> ir.Value:
    """A matrix whose columns are the last long dim of the box; at the start of the launch, as is asked
    for."""
    assert code.body is not None, "copies are in launches"
    columns = next((each for each in reversed(box) if each > 1), 1)
    with ir.InsertionPoint.at_block_begin(code.body):
        return new_matrix(prod(box) // columns, columns, element)


HANDLERS = {
    # Memory comes when it is known who reads the copy.
    bufferization.AllocTensor.NAME: empty,
    bufferization.MaterializeInDestination.NAME: copy,
}
