"""Arithmetic on values in Python's notation, and vectors whose length only running tells: what is computed
when the model is compiled wherever numbers are known then, written for when they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import differ
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import counted, element, filled
from mlc.frontends.onnx.values import Dim, Value

# Up to so many numbers that are counted are a constant.
_CONSTANT = 4096


def _binary(op: str) -> Callable[[Formula, Term], Formula]:
    """The method that applies an op of two operands."""

    def apply(self: Formula, other: Term) -> Formula:
        return Formula(self.node, self.node.emit(op, self.value, self._operand(other)))

    return apply


@dataclass(frozen=True)
class Formula:
    """A value that elementwise operators apply to; numbers take its element type."""

    node: Node
    value: Value

    def __rsub__(self, other: float) -> Formula:
        return self.like(other) - self

    def __mod__(self, other: Term) -> Formula:
        """What is left has the divisor's sign."""
        return Formula(self.node, self.node.emit("mod", self.value, self._operand(other), fmod=False))

    __add__ = __radd__ = _binary("add")
    __mul__ = __rmul__ = _binary("mul")
    __sub__, __truediv__ = _binary("sub"), _binary("div")
    # Of integers that are not negative, by positive ones.
    __floordiv__ = _binary("div")
    __lt__, __le__, __gt__, __ge__ = map(_binary, ("less", "less_equal", "greater", "greater_equal"))
    __and__, __or__, equals = map(_binary, ("and", "or", "equal"))
    max, min = map(_binary, ("max", "min"))

    def within(self, low: Term, high: Term) -> Formula:
        """Bounded from below, then from above."""
        return self.max(low).min(high)

    def apply(self, op: str) -> Formula:
        """An op of one operand, as "floor"."""
        return Formula(self.node, self.node.emit(op, self.value))

    def cast(self, number: int) -> Formula:
        return Formula(self.node, self.node.cast(self.value, number))

    def chosen(self, yes: Term, no: Formula) -> Formula:
        """`yes` where this holds, `no` elsewhere, of `no`'s element type."""
        return Formula(self.node, self.node.emit("where", self.value, no._operand(yes), no.value))

    def reduced(self, op: str, axis: int, keepdims: bool = False) -> Formula:
        """`reduce_<op>` along an axis."""
        return Formula(self.node, self.node.emit(f"reduce_{op}", self.value, axes=[axis], keepdims=keepdims))

    def shaped(self, shape: Sequence[Dim]) -> Formula:
        return Formula(self.node, self.node.reshape(self.value, shape))

    def along(self, axis: int, rank: int) -> Formula:
        """A vector as `[1, ..., n, ..., 1]` of that rank; a matrix takes the axis and the next one."""
        shape = self.value.shape
        return self.shaped([*[1] * axis, *shape, *[1] * (rank - axis - len(shape))])

    def read(self) -> list[Dim]:
        """The elements of an integer vector as dims."""
        return self.node.read_dims(self.value)

    def element(self, place: int) -> Formula:
        """One element of a vector, as a scalar."""
        return Formula(self.node, element(self.node, self.value, place))

    def like(self, number: float) -> Formula:
        """The number in this element type."""
        return Formula(self.node, self.node.scalar(number, self.value))

    def _operand(self, other: Term) -> Value:
        return other.value if isinstance(other, Formula) else self.like(other).value


Term = Formula | float


def formula(node: Node, value: Value, number: int | None = None) -> Formula:
    """The value to compute with, with elements of the ONNX data type `number`."""
    return Formula(node, value if number is None else node.cast(value, number))


def dim(node: Node, size: Dim, number: int = TensorProto.INT64) -> Formula:
    """The dim as a scalar."""
    if isinstance(size, int):
        return Formula(node, node.constant(np.array(size, element_types.numpy_dtype(number))))
    return formula(node, node.size(size), number)


def dims(node: Node, sizes: Sequence[Dim]) -> Formula:
    """The dims as a vector of i64."""
    return Formula(node, node.sizes(sizes))


def counting(node: Node, count: Dim, number: int = TensorProto.INT64) -> Formula:
    """[0, 1, ..., count - 1]."""
    if isinstance(count, int) and count <= _CONSTANT:
        return Formula(node, node.constant(np.arange(count), element_types.numpy_dtype(number)))
    return Formula(node, counted(node, count, number))


def filled_with(node: Node, shape: Sequence[Dim], element: float, number: int) -> Value:
    """A tensor whose elements are all `element`."""
    told = [each for each in shape if isinstance(each, int)]
    if len(told) == len(shape):
        return filled(node, told, element_types.numpy_dtype(number).type(element))
    kind = node.type_of(shape, number)
    return node.named(node.emit("full", node.sizes(shape), result_type=kind, value=element), shape)


def vector(node: Node, value: Value, length: int, number: int) -> Formula:
    """A vector of which it is known that it has `length` elements. Raises NodeError where it has not."""
    if value.rank != 1 or differ(value.shape[0], length):
        raise NodeError(f"'{value.name}' must hold {length} numbers")
    if value.shape != (length,):
        value = node.emit("slice", value, starts=[0], sizes=[length], steps=[1])
    return formula(node, value, number)


def read_along(
    x: Formula, axis: int, places: Formula, inside: Formula | None = None, fill: float = 0
) -> Formula:
    """x at `places` along an axis, whose dims replace it; `fill` where `inside` does not hold."""
    found = Formula(x.node, x.node.emit("gather", x.value, places.value, axis=axis))
    if inside is None:
        return found
    return inside.along(axis, found.value.rank).chosen(found, found.like(fill))


def padded(x: Formula, axis: int, low: Dim, high: Dim, fill: float = 0) -> Formula:
    """x with elements before and behind an axis, of which negative numbers take away."""
    size = x.value.shape[axis]
    if low == 0 and high == 0:
        return x
    places = counting(x.node, size + low + high) - dim(x.node, low)
    inside = (places >= 0) & (places < dim(x.node, size))
    return read_along(x, axis, places.within(0, dim(x.node, size) - 1), inside, fill)
