"""Arithmetic on values in Python's notation, and vectors of dynamic length.

The code is written for dynamic values; constant operands are folded when the model is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import differ
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import element, full, iota
from mlc.frontends.onnx.values import Dim, Value

# An iota of at most this many elements is a constant.
_CONSTANT = 4096


def _binary(op: str) -> Callable[[Formula, Term], Formula]:
    """Returns the method that applies an op of two operands."""

    def apply(self: Formula, other: Term) -> Formula:
        """Applies the op."""
        return Formula(self.node, self.node.emit(op, self.value, self._operand(other)))

    return apply


@dataclass(frozen=True)
class Formula:
    """A value that elementwise operators apply to; Python scalars take its element type."""

    node: Node
    value: Value

    def __rsub__(self, other: float) -> Formula:
        return self.like(other) - self

    def __mod__(self, other: Term) -> Formula:
        """Returns the remainder, which has the divisor's sign."""
        return Formula(self.node, self.node.emit("mod", self.value, self._operand(other), fmod=False))

    __add__ = __radd__ = _binary("add")
    __mul__ = __rmul__ = _binary("mul")
    __sub__, __truediv__ = _binary("sub"), _binary("div")
    # Integer operands: the dividend is not negative, the divisor positive.
    __floordiv__ = _binary("div")
    __lt__, __le__, __gt__, __ge__ = map(_binary, ("less", "less_equal", "greater", "greater_equal"))
    __and__, __or__, equals = map(_binary, ("and", "or", "equal"))
    max, min = map(_binary, ("max", "min"))

    def within(self, low: Term, high: Term) -> Formula:
        """Clamps to at least `low`, then to at most `high`."""
        return self.max(low).min(high)

    def apply(self, op: str) -> Formula:
        """Applies an op of one operand, as "floor"."""
        return Formula(self.node, self.node.emit(op, self.value))

    def cast(self, onnx_type: int) -> Formula:
        """Converts to elements of the ONNX data type `onnx_type`."""
        return Formula(self.node, self.node.cast(self.value, onnx_type))

    def select(self, yes: Term, no: Formula) -> Formula:
        """Returns `yes` where this holds, `no` elsewhere, of `no`'s element type."""
        return Formula(self.node, self.node.emit("where", self.value, no._operand(yes), no.value))

    def reduce(self, op: str, axis: int, keepdims: bool = False) -> Formula:
        """Applies `reduce_<op>` along an axis."""
        return Formula(self.node, self.node.emit(f"reduce_{op}", self.value, axes=[axis], keepdims=keepdims))

    def reshape(self, shape: Sequence[Dim]) -> Formula:
        """Returns the value in a new shape."""
        return Formula(self.node, self.node.reshape(self.value, shape))

    def along(self, axis: int, rank: int) -> Formula:
        """Reshapes a vector to `[1, ..., n, ..., 1]` of that rank; a matrix takes `axis` and the next one."""
        shape = self.value.shape
        return self.reshape([*[1] * axis, *shape, *[1] * (rank - axis - len(shape))])

    def read(self) -> list[Dim]:
        """Returns the elements of an integer vector as dims."""
        return self.node.read_dims(self.value)

    def element(self, index: int) -> Formula:
        """Returns one element of a vector, as a scalar."""
        return Formula(self.node, element(self.node, self.value, index))

    def like(self, constant: float) -> Formula:
        """Returns a constant in this element type."""
        return Formula(self.node, self.node.scalar(constant, self.value))

    def _operand(self, other: Term) -> Value:
        return other.value if isinstance(other, Formula) else self.like(other).value


Term = Formula | float


def formula(node: Node, value: Value, onnx_type: int | None = None) -> Formula:
    """Wraps a value to compute with, cast to the ONNX data type `onnx_type` if that is given."""
    return Formula(node, value if onnx_type is None else node.cast(value, onnx_type))


def dim(node: Node, size: Dim, onnx_type: int = TensorProto.INT64) -> Formula:
    """Returns the dim as a scalar."""
    if isinstance(size, int):
        return Formula(node, node.constant(np.array(size, element_types.numpy_dtype(onnx_type))))
    return formula(node, node.size(size), onnx_type)


def dims(node: Node, sizes: Sequence[Dim]) -> Formula:
    """Returns the dims as a vector of i64."""
    return Formula(node, node.sizes(sizes))


def counting(node: Node, count: Dim, onnx_type: int = TensorProto.INT64) -> Formula:
    """Returns the vector `[0, 1, ..., count - 1]`."""
    if isinstance(count, int) and count <= _CONSTANT:
        return Formula(node, node.constant(np.arange(count), element_types.numpy_dtype(onnx_type)))
    return Formula(node, iota(node, count, onnx_type))


def filled_with(node: Node, shape: Sequence[Dim], element: float, onnx_type: int) -> Value:
    """Returns a tensor whose elements are all `element`."""
    static_shape = [extent for extent in shape if isinstance(extent, int)]
    if len(static_shape) == len(shape):
        return full(node, static_shape, element_types.numpy_dtype(onnx_type).type(element))
    result_type = node.type_of(shape, onnx_type)
    return node.name_dims(node.emit("full", node.sizes(shape), result_type=result_type, value=element), shape)


def vector(node: Node, value: Value, length: int, onnx_type: int) -> Formula:
    """Returns a vector that is known to have `length` elements, cast to `onnx_type`.

    Raises NodeError where it provably has another length.
    """
    if value.rank != 1 or differ(value.shape[0], length):
        raise NodeError(f"'{value.name}' must hold {length} elements")
    if value.shape != (length,):
        value = node.emit("slice", value, starts=[0], sizes=[length], steps=[1])
    return formula(node, value, onnx_type)


def read_along(
    x: Formula, axis: int, indices: Formula, inside: Formula | None = None, fill: float = 0
) -> Formula:
    """Returns x at `indices` along an axis, which the dims of `indices` replace; `fill` where `inside` does
    not hold."""
    found = Formula(x.node, x.node.emit("gather", x.value, indices.value, axis=axis))
    if inside is None:
        return found
    return inside.along(axis, found.value.rank).select(found, found.like(fill))


def pad_axis(x: Formula, axis: int, low: Dim, high: Dim, fill: float = 0) -> Formula:
    """Returns x with `low` elements before and `high` elements after an axis; negative counts crop."""
    size = x.value.shape[axis]
    if low == 0 and high == 0:
        return x
    indices = counting(x.node, size + low + high) - dim(x.node, low)
    inside = (indices >= 0) & (indices < dim(x.node, size))
    return read_along(x, axis, indices.within(0, dim(x.node, size) - 1), inside, fill)
