"""Conversions between MLIR's tensor types and `GraphTensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ir

from .spec import GraphTensor, ShapeError

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_FLOATS = {ir.F32Type: "f32", ir.F16Type: "f16", ir.BF16Type: "bf16", ir.F64Type: "f64"}


def element_name(type_: ir.Type) -> str:
    """Returns an element type's name, as in "f32"; the common ones without printing."""
    return _FLOATS.get(type(type_)) or str(type_)


def tensor_of(type_: ir.Type, field: str = "operand") -> GraphTensor:
    """Returns a tensor type as data; raises ShapeError for any other type."""
    if isinstance(type_, ir.RankedTensorType):
        shape = tuple(None if dim == _DYNAMIC else dim for dim in type_.shape)
        return GraphTensor(shape, element_name(type_.element_type))
    if isinstance(type_, ir.UnrankedTensorType):
        return GraphTensor(None, element_name(type_.element_type))
    raise ShapeError(field, f"has type {type_}, which is no tensor")


def type_of(tensor: GraphTensor, context: ir.Context) -> ir.Type:
    """Returns the MLIR type of a `GraphTensor`."""
    with ir.Location.unknown(context):
        element = ir.Type.parse(tensor.element)
        if tensor.shape is None:
            return ir.UnrankedTensorType.get(element)
        return ir.RankedTensorType.get(sizes_of(tensor.shape), element)


def sizes_of(shape: Sequence[int | None]) -> list[int]:
    """Returns dims with MLIR's mark for dynamic ones."""
    return [_DYNAMIC if dim is None else dim for dim in shape]


def shape_of(value: ir.Value) -> list[Any]:
    """Returns the dims of a tensor value, None for dynamic ones (typed Any: most callers have checked).

    Raises ShapeError for an unknown rank.
    """
    shape = tensor_of(value.type, "value").shape
    if shape is None:
        raise ShapeError("value", f"has no known rank: {value.type}")
    return list(shape)


def element_type(value: ir.Value) -> ir.Type:
    """Returns the element type of a tensor value."""
    return value.type.element_type
