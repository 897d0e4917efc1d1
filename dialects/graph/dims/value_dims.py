"""The dims of single values: as written, or else as they follow from the ops before."""

from __future__ import annotations

import numpy as np

from mlc.bindings import func, ir
from mlc.dialects.graph import views
from mlc.dialects.graph.dims.dim_names import NAMES, Shape, argument_name, named_dims, names_attribute
from mlc.dialects.graph.dims.propagation import computed_sizes, followed_dims, size_array
from mlc.dialects.graph.dims.symbolic_inference import Dims
from mlc.dialects.graph.sizes import Size, symbol
from mlc.dialects.graph.types import element_name, element_type


def dims_of(value: ir.Value) -> Shape:
    """Returns the dims of a ranked tensor value: integers, and sizes of named dims for dynamic ones.

    A dim that follows from nothing has a private name, so that it equals the same dim of the same value only;
    the name is valid as long as the value exists, and must not be written into the IR.
    """
    written = named_dims(value)
    if None not in written:
        return tuple(dim for dim in written if dim is not None)
    known = _Before()
    for pending in _list_unnamed(value):
        known.visit(pending)
    return tuple(dim for dim in known.of(value) if dim is not None)


def same_shape(a: ir.Value, b: ir.Value) -> bool:
    """Whether two tensors provably have the same dims; with unknown rank only a value and itself do."""
    if a == b:
        return True
    if not (a.type.has_rank and b.type.has_rank) or a.type.shape != b.type.shape:
        return False
    return bool(a.type.has_static_shape) or dims_of(a) == dims_of(b)


def same_type(a: ir.Value, b: ir.Value) -> bool:
    """Whether two tensors provably have the same dims and the same element type."""
    return element_type(a) == element_type(b) and same_shape(a, b)


def write_names(op: ir.Operation) -> None:
    """Writes at a graph op the dims of its results, as far as they follow from the names at its operands."""
    types = [result.type for result in op.results]
    if all(not isinstance(type_, ir.RankedTensorType) or type_.has_static_shape for type_ in types):
        return
    shapes = followed_dims(op, _Written())
    if any(isinstance(dim, Size) for shape in shapes for dim in shape):
        with op.context:
            op.attributes[NAMES] = names_attribute(shapes)


def name_dims(value: ir.Value, dims: Shape) -> ir.Value:
    """Writes `dims` at the graph op of `value`, its only result, and returns `value`. The caller guarantees
    that these are the dims."""
    if not value.type.has_static_shape and not any(map(_is_private, dims)):
        with value.context:
            value.owner.operation.attributes[NAMES] = names_attribute([dims])
    return value


def _is_private(dim: int | Size) -> bool:
    """Whether a dim has names that must not be written into the IR."""
    return isinstance(dim, Size) and any(name.startswith("?") for name in dim.names)


class _Written:
    """The dims and elements that are written at values."""

    def of(self, value: ir.Value) -> Dims:
        """Returns the dims of a value, None for those that are not known."""
        return tuple(named_dims(value))

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """Returns the elements of vectors of dims: `graph.sizes`, `graph.shape_of`, constants; else None."""
        if isinstance(value.owner, ir.Block):
            return None
        op = value.owner.operation
        if views.Sizes.isa(op):
            return computed_sizes(op, self)
        if views.Reshape.isa(op):
            return self.contents(views.Reshape(op).x) if _is_index(value) else None
        if views.ShapeOf.isa(op):
            dims = self.of(views.ShapeOf(op).x)
            return None if None in dims else size_array([dim for dim in dims if dim is not None])
        return views.Constant(op).value if views.Constant.isa(op) else None


class _Before(_Written):
    """The dims of values as they follow from the values before them."""

    def __init__(self) -> None:
        self._found: dict[ir.Value, Dims] = {}

    def of(self, value: ir.Value) -> Dims:
        """Returns the dims of a value, None for those that are not known."""
        return self._found[value] if value in self._found else super().of(value)

    def visit(self, value: ir.Value) -> None:
        """Finds the dims of a value, given those of its op's operands."""
        dims = named_dims(value)
        if not isinstance(value.owner, ir.Block):
            followed = followed_dims(value.owner.operation, self)[value.result_number]
            dims = [two if one is None else one for one, two in zip(dims, followed, strict=True)]
        self._found[value] = tuple(
            symbol(_private_name(value, axis)) if dim is None else dim for axis, dim in enumerate(dims)
        )


def _private_name(value: ir.Value, axis: int) -> str:
    """Returns a name that no other value has, for a dim that follows from nothing."""
    owner = value.owner
    if isinstance(owner, ir.Block) and func.Func.isa(owner.owner.operation):
        return argument_name(value.arg_number, axis)
    return f"?{hash(value)}.shape[{axis}]"


def _list_unnamed(value: ir.Value) -> list[ir.Value]:
    """Returns the values from which `value` follows whose dims are not all written, operands first, and
    `value`."""
    order: dict[ir.Value, None] = {}
    pending = [value]
    while pending:
        last = pending[-1]
        before = [operand for operand in _operands(last) if operand not in order and _is_unnamed(operand)]
        pending += before
        if not before:
            order[pending.pop()] = None
    return list(order)


def _is_unnamed(value: ir.Value) -> bool:
    """Whether not all its dims are written, or its elements may be dims that are not."""
    owner = value.owner
    holds_dims = not isinstance(owner, ir.Block) and owner.operation.name in _DIMS and _is_index(value)
    return holds_dims or None in named_dims(value)


# The ops that make vectors and scalars of dims.
_DIMS = (views.Sizes.NAME, views.ShapeOf.NAME, views.Reshape.NAME)


def _is_index(value: ir.Value) -> bool:
    """Whether it is an i64 scalar, or a vector of i64 of static length."""
    type_ = value.type
    is_small = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape and type_.rank < 2
    return is_small and element_name(type_.element_type) == "i64"


def _operands(value: ir.Value) -> list[ir.Value]:
    """Returns the operands of the graph op that makes a value."""
    if isinstance(value.owner, ir.Block) or not value.owner.operation.name.startswith("graph."):
        return []
    return list(value.owner.operation.operands)
