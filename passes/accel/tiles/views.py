"""Emission of reshapes of memory, outside of launches, and of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.bindings import fields, func, ir, memref, tensor
from mlc.bindings import views as bindings_views
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import Extent, Slice, VectorTile, all_of, whole_memory
from mlc.passes.accel.tiles.vector_shapes import reshape_vector
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import users

# The names of reshapes.
COLLAPSE, EXPAND = tensor.CollapseShape.NAME, tensor.ExpandShape.NAME


class Reshape(bindings_views.GroupView):
    """A view of a reshape of a tensor."""

    NAMES = frozenset({COLLAPSE, EXPAND})
    src = fields.operand(0)
    result = fields.result(0)
    reassociation = fields.attribute()


# Ops that only determine where a value is written.
_WRITING = (func.Return.NAME, tensor.InsertSlice.NAME)


def reshape(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.collapse_shape` and `tensor.expand_shape` as a view of memory, or of the vector."""
    source, result = code.tensor(Reshape(op).src), Reshape(op).result
    if result in code.destinations and all(user.name in _WRITING for user in users(result)):
        code.values[result] = code.destinations[result]
        return
    if isinstance(source, VectorTile):
        code.values[result] = _reshape_tile(source, op)
        return
    if not isinstance(source, Slice):
        raise PassError("a tile in shared memory cannot be reshaped", op.location)
    if source.memory is None:
        code.values[result] = all_of(None, [Extent(size, size) for size in result.type.shape])
        return
    if not source.is_whole:
        raise PassError("only all of a tensor in memory can be reshaped", op.location)
    code.values[result] = whole_memory(_view(source.memory, op, op.name, result.type.shape))


def _reshape_tile(source: VectorTile, op: ir.Operation) -> VectorTile:
    """Reshapes a tile. Raises PassError if it has padding, unless the dims longer than 1 stay the same."""
    result = Reshape(op).result.type
    if not result.has_static_shape:
        raise PassError("a tile of dynamic size cannot be reshaped", op.location)
    extents = tuple(Extent(size, size) for size in result.shape)
    longer = [[extent for extent in given if extent.padded > 1] for given in (source.extents, extents)]
    same = [extent.size for extent in longer[0]] == [extent.size for extent in longer[1]]
    whole = all(extent.whole for group in longer for extent in group)
    if not same and not whole:
        raise PassError("a tile with padding cannot be reshaped", op.location)
    padded = [extent.padded for extent in extents] or [1]
    assert prod(padded) == prod(source.vector.type.shape), "a reshape keeps elements"
    return VectorTile(reshape_vector(source.vector, padded), extents)


def before_reshape(target: Slice, op: ir.Operation) -> Slice:
    """Returns the destination of the operand of a reshape whose result has the destination `target`."""
    if not target.is_whole:
        raise PassError("a tensor is reshaped before it becomes a part of another one", op.location)
    other = EXPAND if op.name == COLLAPSE else COLLAPSE
    return whole_memory(_view(target.memory, op, other, Reshape(op).src.type.shape))


def _view(memory: ir.Value, op: ir.Operation, name: str, shape: Sequence[int]) -> ir.Value:
    view = ir.MemRefType.get(list(shape), memory.type.element_type)
    groups = Reshape(op).reassociation
    if name == COLLAPSE:
        return memref.CollapseShapeOp(view, memory, groups).result
    return memref.ExpandShapeOp(view, memory, groups, [], list(shape)).result


def cast(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.cast`, which changes only the static shape."""
    code.values[tensor.Cast(op).dest] = code.values[tensor.Cast(op).source]


HANDLERS = {tensor.Cast.NAME: cast, COLLAPSE: reshape, EXPAND: reshape}
