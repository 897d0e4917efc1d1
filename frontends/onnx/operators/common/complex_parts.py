"""Operators on complex numbers, computed of their real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable

from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import number_of
from mlc.frontends.onnx.values import Value

_PARTS: dict[int, int] = {
    TensorProto.COMPLEX64: TensorProto.FLOAT,
    TensorProto.COMPLEX128: TensorProto.DOUBLE,
}


def is_complex(x: Value) -> bool:
    """Whether elements are complex numbers."""
    return x.dtype.kind == "c"


def part_type(number: int) -> int:
    """The ONNX data type of a complex number's parts; other types are their own."""
    return _PARTS.get(number, number)


def parts(node: Node, x: Value) -> list[Value]:
    """The real and the imaginary part."""
    return [node.emit(part, x) for part in ("real", "imag")]


def of_parts(node: Node, x: Value, function: Callable[[Value], Value]) -> Value:
    """A function that is linear with real coefficients: of complex x that of both parts, joined."""
    if not is_complex(x):
        return function(x)
    return node.emit("complex", *map(function, parts(node, x)))


def is_not_zero(node: Node, x: Value) -> Value:
    """Whether one of the parts is not 0; NaN is not."""
    zeros = [node.emit("equal", part, node.scalar(0, part)) for part in parts(node, x)]
    return node.emit("not", node.emit("and", *zeros))


def order(node: Node, x: Value) -> Value:
    """Numbers of i64 in the order of x's elements, which is NumPy's: the real parts decide, the imaginary
    ones where those are equal. What has a NaN is equal to all that has, and greater than all else."""
    count = product(x.shape)
    real, imag = (_places(node, part) for part in parts(node, x))
    numbers = node.emit("add", node.emit("mul", real, number_of(node, count)), imag)
    no_number = node.emit("or", *(node.emit("is_nan", part) for part in parts(node, x)))
    return node.emit("where", no_number, number_of(node, count * count), numbers)


def _places(node: Node, x: Value) -> Value:
    """For each element the place of its value among the different ones."""
    _, _, places, _, _ = node.emit_several("unique", node.reshape(x, [product(x.shape)]), sorted=True)
    return node.reshape(places, x.shape)


def bits(node: Node, x: Value) -> Value:
    """The bits of complex numbers of 64 bits as u64: the real part is in the lower half."""
    low, high = (_in_64(node, part) for part in parts(node, x))
    return node.emit("bitwise_or", low, node.emit("shift_left", high, node.scalar(32, high)))


def _in_64(node: Node, part: Value) -> Value:
    word = node.emit("bitcast", part, result_type=node.type_of(part.shape, TensorProto.UINT32))
    return node.cast(word, TensorProto.UINT64)


def of_bits(node: Node, x: Value) -> Value:
    """The complex numbers of 64 bits that have the bits of u64."""
    high = node.emit("shift_right", x, node.scalar(32, x))
    words = [node.cast(each, TensorProto.UINT32) for each in (x, high)]
    kind = node.type_of(x.shape, TensorProto.FLOAT)
    return node.emit("complex", *(node.emit("bitcast", word, result_type=kind) for word in words))
