"""Operators on complex values, computed on their real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable

from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import i64_scalar
from mlc.frontends.onnx.values import Value

_PARTS: dict[int, int] = {
    TensorProto.COMPLEX64: TensorProto.FLOAT,
    TensorProto.COMPLEX128: TensorProto.DOUBLE,
}


def is_complex(x: Value) -> bool:
    """Whether elements are complex."""
    return x.dtype.kind == "c"


def part_type(onnx_type: int) -> int:
    """Returns the ONNX data type of the parts of complex values; other types are returned unchanged."""
    return _PARTS.get(onnx_type, onnx_type)


def parts(node: Node, x: Value) -> list[Value]:
    """Returns the real and the imaginary part."""
    return [node.emit(part, x) for part in ("real", "imag")]


def of_parts(node: Node, x: Value, function: Callable[[Value], Value]) -> Value:
    """Applies a function that is linear with real coefficients; to complex x part by part."""
    if not is_complex(x):
        return function(x)
    return node.emit("complex", *map(function, parts(node, x)))


def is_not_zero(node: Node, x: Value) -> Value:
    """Returns whether the real or the imaginary part is not 0; NaN counts as not 0."""
    zeros = [node.emit("equal", part, node.scalar(0, part)) for part in parts(node, x)]
    return node.emit("not", node.emit("and", *zeros))


def order(node: Node, x: Value) -> Value:
    """Returns the ranks of x's elements, as i64, in NumPy's order: by real parts, then by imaginary parts.

    Elements with a NaN are equal to each other and greater than all others.
    """
    count = product(x.shape)
    real, imag = (_ranks(node, part) for part in parts(node, x))
    ranks = node.emit("add", node.emit("mul", real, i64_scalar(node, count)), imag)
    is_nan = node.emit("or", *(node.emit("is_nan", part) for part in parts(node, x)))
    return node.emit("where", is_nan, i64_scalar(node, count * count), ranks)


def _ranks(node: Node, x: Value) -> Value:
    """Returns the rank of each element among the distinct values."""
    _, _, ranks, _, _ = node.emit_several("unique", node.reshape(x, [product(x.shape)]), sorted=True)
    return node.reshape(ranks, x.shape)


def bits(node: Node, x: Value) -> Value:
    """Returns the bits of complex values of 64 bits as u64: the real part is in the lower half."""
    low, high = (_in_64(node, part) for part in parts(node, x))
    return node.emit("bitwise_or", low, node.emit("shift_left", high, node.scalar(32, high)))


def _in_64(node: Node, part: Value) -> Value:
    word = node.emit("bitcast", part, result_type=node.type_of(part.shape, TensorProto.UINT32))
    return node.cast(word, TensorProto.UINT64)


def of_bits(node: Node, x: Value) -> Value:
    """Returns the complex values of 64 bits that have the bits of u64."""
    high = node.emit("shift_right", x, node.scalar(32, x))
    words = [node.cast(half, TensorProto.UINT32) for half in (x, high)]
    part_type = node.type_of(x.shape, TensorProto.FLOAT)
    return node.emit("complex", *(node.emit("bitcast", word, result_type=part_type) for word in words))
