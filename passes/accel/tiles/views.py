"""Reshapes of whole memories, around launches."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, memref
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.meanings import Slice, whole_memory
from mlc.passes.base import PassFailure

COLLAPSE, EXPAND = "tensor.collapse_shape", "tensor.expand_shape"


def reshape(code: Emission, op: ir.Operation) -> None:
    """`tensor.collapse_shape` and `tensor.expand_shape`: the same memory."""
    source = code.tensor(op.operands[0])
    if not isinstance(source, Slice) or code.body is not None:
        raise PassFailure("a tile cannot be reshaped", op.location)
    if source.memory is None:
        raise PassFailure("a tensor is reshaped that nobody has written", op.location)
    code.values[op.results[0]] = whole_memory(_view(source.memory, op, op.name, op.results[0].type.shape))


def before_reshape(memory: ir.Value, op: ir.Operation) -> ir.Value:
    """The memory, which is the result of a reshape, as its operand."""
    other = EXPAND if op.name == COLLAPSE else COLLAPSE
    return _view(memory, op, other, op.operands[0].type.shape)


def _view(memory: ir.Value, op: ir.Operation, name: str, shape: Sequence[int]) -> ir.Value:
    kind = ir.MemRefType.get(list(shape), memory.type.element_type)
    groups = op.attributes["reassociation"]
    if name == COLLAPSE:
        return memref.CollapseShapeOp(kind, memory, groups).result
    return memref.ExpandShapeOp(kind, memory, groups, [], list(shape)).result


HANDLERS = {COLLAPSE: reshape, EXPAND: reshape}
