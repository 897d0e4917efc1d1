"""Reshapes: of whole memories around launches, and of tiles whose elements stay in order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.bindings import func, ir, memref, tensor
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import Extent, Slice, VectorTile, all_of, whole_memory
from mlc.passes.accel.tiles.vector_shapes import reshaped
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import users

# By name, those that `before_reshape` knows.
COLLAPSE, EXPAND = tensor.CollapseShape.NAME, tensor.ExpandShape.NAME

# What only says where a value lies.
_WRITING = (func.Return.NAME, tensor.InsertSlice.NAME)


def reshape(code: Emission, op: ir.Operation) -> None:
    """`tensor.collapse_shape` and `tensor.expand_shape`: the same memory, or the same elements."""
    source, result = code.tensor(op.operands[0]), op.results[0]
    if result in code.destinations and all(user.name in _WRITING for user in users(result)):
        code.values[result] = code.destinations[result]
        return
    if isinstance(source, VectorTile):
        code.values[result] = _reshaped_tile(source, op)
        return
    if not isinstance(source, Slice):
        raise PassError("a tile in shared memory cannot be reshaped", op.location)
    if source.memory is None:
        code.values[result] = all_of(None, [Extent(each, each) for each in result.type.shape])
        return
    if not source.is_whole:
        raise PassError("only all of a tensor in memory can be reshaped", op.location)
    code.values[result] = whole_memory(_view(source.memory, op, op.name, result.type.shape))


def _reshaped_tile(source: VectorTile, op: ir.Operation) -> VectorTile:
    """Padding must not come between elements: dims that become one, or are parts of one, are whole but for
    the first of them that is longer than 1."""
    shape = list(op.results[0].type.shape)
    if not op.results[0].type.has_static_shape:
        raise PassError("a tile of unknown size cannot be reshaped", op.location)
    extents = tuple(Extent(each, each) for each in shape)
    longer = [[each for each in given if each.padded > 1] for given in (source.extents, extents)]
    same = [each.size for each in longer[0]] == [each.size for each in longer[1]]
    whole = all(each.whole for group in longer for each in group)
    if not same and not whole:
        raise PassError("a tile with padding cannot be reshaped", op.location)
    padded = [extent.padded for extent in extents] or [1]
    assert prod(padded) == prod(source.vector.type.shape), "a reshape keeps elements"
    return VectorTile(reshaped(source.vector, padded), extents)


def before_reshape(target: Slice, op: ir.Operation) -> Slice:
    """Where the operand of a reshape lies, whose result is to lie in `target`."""
    if not target.is_whole:
        raise PassError("a tensor is reshaped before it becomes a part of another one", op.location)
    other = EXPAND if op.name == COLLAPSE else COLLAPSE
    return whole_memory(_view(target.memory, op, other, op.operands[0].type.shape))


def _view(memory: ir.Value, op: ir.Operation, name: str, shape: Sequence[int]) -> ir.Value:
    kind = ir.MemRefType.get(list(shape), memory.type.element_type)
    groups = op.attributes["reassociation"]
    if name == COLLAPSE:
        return memref.CollapseShapeOp(kind, memory, groups).result
    return memref.ExpandShapeOp(kind, memory, groups, [], list(shape)).result


def cast(code: Emission, op: ir.Operation) -> None:
    """`tensor.cast`: what is known of a shape."""
    code.values[op.results[0]] = code.values[op.operands[0]]


HANDLERS = {tensor.Cast.NAME: cast, COLLAPSE: reshape, EXPAND: reshape}
