"""Tiles that are copied into shared memory, as the schedule primitive `tloop.cache_read` requests."""

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
    """Emits `bufferization.materialize_in_destination`: marks a slice as cached in shared memory."""
    view = bufferization.MaterializeInDestination(op)
    source, target = code.tensor(view.source), code.tensor(view.dest)
    if not isinstance(source, Slice) or source.memory is None:
        raise PassError("only tensors in memory can be copied into a separate buffer", op.location)
    assert isinstance(target, Slice) and target.memory is None, "the destination is a new tensor"
    code.values[view.result] = Cached(source.memory, source.dims, source.kept, source.padding)


@contextmanager
def copies_of(code: Emission, space: Space) -> Iterator[None]:
    """Copies cached operands of a computation to shared memory, where they are in the `with` block."""
    computation = space.computation
    saved = {operand: code.values[operand] for operand in computation.op.operands if operand in code.values}
    for operand, access in zip(computation.inputs, computation.maps, strict=False):
        source = code.values.get(operand)
        if isinstance(source, Cached):
            code.values[operand] = _start_copy(code, source, accesses(access, space), space)
    yield
    code.values.update(saved)


def _start_copy(code: Emission, source: Cached, read: list[OperandIndex], space: Space) -> SharedTile:
    """Starts to copy the elements that a computation reads."""
    memory, op = source.memory, space.computation.op
    assert memory is not None, "cached tensors are in memory"
    rank = len(source.dims)
    offsets, box, steps = [dim.offset for dim in source.dims], [1] * rank, [1] * rank
    for at, index in zip(source.kept, read, strict=True):
        if at is None:
            continue
        dim = source.dims[at]
        offsets[at] = add(offsets[at], multiply(index.constant, dim.stride))
        if index.dim is not None:
            box[at], steps[at] = space.shape[index.dim], index.factor * dim.stride
            if index.dim in space.computation.reductions and not (space.extents[index.dim].whole or dim.ends):
                raise PassError("a part of a reduction cannot be copied: more follows it", op.location)
    if source.padding != 0 and not all(dim.inside for dim in source.dims):
        raise PassError("copies put zeros around a memory, and nothing else", op.location)
    buffer = _alloc(code, box, ir.MemRefType(memory.type).element_type)
    attributes = {"steps": ir.DenseI64ArrayAttr.get(steps)} if any(step > 1 for step in steps) else {}
    if box[-2:] != list(buffer.type.shape):
        attributes["box"] = ir.DenseI64ArrayAttr.get(box)
    operands = [memory, buffer, *map(as_value, offsets)]
    started = ir.Operation.create(accel.Copy.NAME, [ir.Type.parse("!accel.token")], operands, attributes)
    code.tokens.append(accel.Copy(started).token)
    return SharedTile(
        buffer, tuple(UNIT if index.dim is None else space.extents[index.dim] for index in read)
    )


def _alloc(code: Emission, box: list[int], element: ir.Type) -> ir.Value:
    """Allocates a matrix at the start of the launch; its columns are the box's last dim longer than 1."""
    assert code.body is not None, "copies are in launches"
    columns = next((extent for extent in reversed(box) if extent > 1), 1)
    with ir.InsertionPoint.at_block_begin(code.body):
        return new_matrix(prod(box) // columns, columns, element)


HANDLERS = {
    # Shared memory is allocated by the computation that reads the copy.
    bufferization.AllocTensor.NAME: empty,
    bufferization.MaterializeInDestination.NAME: copy,
}
