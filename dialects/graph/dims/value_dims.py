"""The dims of single values: what is written, or else what follows from the ops before."""

from __future__ import annotations

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.attributes import array_of
from mlc.dialects.graph.dims.dim_names import NAMES, Shape, argument_name, named_dims, names_attribute
from mlc.dialects.graph.dims.propagation import computed_sizes, followed_dims, size_array
from mlc.dialects.graph.dims.symbolic_inference import Dims
from mlc.dialects.graph.sizes import Size, symbol
from mlc.dialects.graph.types import element_name, element_type


def dims_of(value: ir.Value) -> Shape:
    """The dims of a ranked tensor value: numbers, and sizes of named dims for those that its type lacks.

    A dim that nothing tells has a name of its own, so that it equals the same dim of the same value only;
    the name is good as long as the value is there, and is not for writing.
    """
    written = named_dims(value)
    if None not in written:
        return tuple(dim for dim in written if dim is not None)
    known = _Before()
    for each in _unnamed(value):
        known.visit(each)
    return tuple(dim for dim in known.of(value) if dim is not None)


def same_shape(a: ir.Value, b: ir.Value) -> bool:
    """Whether two tensors surely have the same dims; of unknown rank only a value and itself do."""
    if a == b:
        return True
    if not (a.type.has_rank and b.type.has_rank) or a.type.shape != b.type.shape:
        return False
    return bool(a.type.has_static_shape) or dims_of(a) == dims_of(b)


def same_type(a: ir.Value, b: ir.Value) -> bool:
    """Whether two tensors surely have the same dims and the same element type."""
    return element_type(a) == element_type(b) and same_shape(a, b)


def write_names(op: ir.Operation) -> None:
    """Writes at a graph op the dims of its results, as far as they follow from what its operands say."""
    types = [result.type for result in op.results]
    if all(not isinstance(type_, ir.RankedTensorType) or type_.has_static_shape for type_ in types):
        return
    shapes = followed_dims(op, _Written())
    if any(isinstance(dim, Size) for shape in shapes for dim in shape):
        with op.context:
            op.attributes[NAMES] = names_attribute(shapes)


def name_dims(value: ir.Value, dims: Shape) -> ir.Value:
    """The only result of a graph op, which now says `dims` where its type has unknown ones: the caller knows
    that they are these."""
    if not value.type.has_static_shape and not any(map(_is_own, dims)):
        with value.context:
            value.owner.operation.attributes[NAMES] = names_attribute([dims])
    return value


def _is_own(dim: int | Size) -> bool:
    """Whether a dim has names that are not for writing."""
    return isinstance(dim, Size) and any(name.startswith("?") for name in dim.names)


class _Written:
    """What values say of themselves."""

    def of(self, value: ir.Value) -> Dims:
        return tuple(named_dims(value))

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """The elements of the vectors that say dims: sizes of named dims, the dims of a tensor, constants."""
        if isinstance(value.owner, ir.Block):
            return None
        op = value.owner.operation
        if op.name == "graph.sizes":
            return computed_sizes(op, self)
        if op.name == "graph.reshape":
            return self.contents(op.operands[0]) if _is_index(value) else None
        if op.name == "graph.shape_of":
            dims = self.of(op.operands[0])
            return None if None in dims else size_array([dim for dim in dims if dim is not None])
        return array_of(op.attributes["value"]) if op.name == "graph.constant" else None


class _Before(_Written):
    """What follows for values from those before them."""

    def __init__(self) -> None:
        self._found: dict[ir.Value, Dims] = {}

    def of(self, value: ir.Value) -> Dims:
        return self._found[value] if value in self._found else super().of(value)

    def visit(self, value: ir.Value) -> None:
        """Finds the dims of a value whose operands' are known."""
        dims = named_dims(value)
        if not isinstance(value.owner, ir.Block):
            followed = followed_dims(value.owner.operation, self)[value.result_number]
            dims = [two if one is None else one for one, two in zip(dims, followed, strict=True)]
        self._found[value] = tuple(
            symbol(_own_name(value, axis)) if dim is None else dim for axis, dim in enumerate(dims)
        )


def _own_name(value: ir.Value, axis: int) -> str:
    """A name that no other value has, for a dim that nothing tells."""
    owner = value.owner
    if isinstance(owner, ir.Block) and owner.owner.operation.name == "func.func":
        return argument_name(value.arg_number, axis)
    return f"?{hash(value)}.shape[{axis}]"


def _unnamed(value: ir.Value) -> list[ir.Value]:
    """The value, after those before it whose dims are not all written, in an order in which they follow."""
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
    says_dims = not isinstance(owner, ir.Block) and owner.operation.name in _DIMS and _is_index(value)
    return says_dims or None in named_dims(value)


# What the vectors and scalars that say dims are made by.
_DIMS = ("graph.sizes", "graph.shape_of", "graph.reshape")


def _is_index(value: ir.Value) -> bool:
    """Whether it is an integer, or a vector of a known number of them."""
    type_ = value.type
    is_small = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape and type_.rank < 2
    return is_small and element_name(type_.element_type) == "i64"


def _operands(value: ir.Value) -> list[ir.Value]:
    """The operands of the graph op that makes a value."""
    if isinstance(value.owner, ir.Block) or not value.owner.operation.name.startswith("graph."):
        return []
    return list(value.owner.operation.operands)
