"""Random numbers, as functions of a key and of each element's index.

Element i of a tensor takes output i of SplitMix64 (Steele, Lea, Flood,
https://doi.org/10.1145/2660193.2660195) started at the key: there is no state, so elements are computed in
any order, and every run of a compiled model gives the same values. The key is a hash of the attribute `seed`,
or of the node's name where there is none; so nodes without a seed differ from each other.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import i64_scalar, iota
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# SplitMix64's constants: the step of its counter, and the shifts and factors of its mixing.
STEP = 0x9E3779B97F4A7C15
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def key(node: Node, stream: int = 0) -> int:
    """Returns a key of 64 bits; streams of one node are independent of each other."""
    seed = node.attr("seed", None)
    source = node.label.encode() if seed is None else struct.pack("<d", seed)
    digest = hashlib.blake2b(source, digest_size=8, salt=bytes([stream])).digest()
    return int.from_bytes(digest, "little")


def bits(node: Node, shape: Sequence[Dim], stream: int = 0) -> Value:
    """Returns 64 random bits per element, as ui64."""
    counters = iota(node, product(shape), TensorProto.UINT64)
    offset, step = (node.constant(np.uint64(n % 2**64)) for n in (key(node, stream) + STEP, STEP))
    state = node.emit("add", node.emit("mul", counters, step), offset)
    for distance, factor in MIXING:
        state = node.emit("mul", _fold(node, state, distance), node.constant(np.uint64(factor)))
    return node.reshape(_fold(node, state, 31), shape)


def _fold(node: Node, state: Value, distance: int) -> Value:
    shifted = node.emit("shift_right", state, node.constant(np.uint64(distance)))
    return node.emit("bitwise_xor", state, shifted)


def uniform(node: Node, shape: Sequence[Dim], onnx_type: int, stream: int = 0) -> Value:
    """Returns samples in [0, 1), f32 or f64 by the ONNX data type `onnx_type`: multiples of 2^-24 or
    2^-53."""
    digits = 53 if onnx_type == TensorProto.DOUBLE else 24
    whole = node.emit("shift_right", bits(node, shape, stream), node.constant(np.uint64(64 - digits)))
    # Below 2^63, where a signed integer is converted in fewer instructions.
    parts = node.cast(node.cast(whole, TensorProto.INT64), onnx_type)
    return node.emit("mul", parts, node.scalar(2.0**-digits, parts))


def normal(node: Node, shape: Sequence[Dim], onnx_type: int) -> Value:
    """Returns samples of the standard normal distribution (Box and Muller, 1958), of the type `onnx_type` as
    for `uniform`."""
    # In (0, 1]: its logarithm is finite.
    first, second = (uniform(node, shape, onnx_type, stream) for stream in (0, 1))
    radius = node.emit("log", node.emit("sub", node.scalar(1, first), first))
    radius = node.emit("sqrt", node.emit("mul", radius, node.scalar(-2, radius)))
    cosine = node.emit("cos", node.emit("mul", second, node.scalar(2 * math.pi, second)))
    return node.emit("mul", radius, cosine)


def _compute_type(onnx_type: int) -> int:
    return TensorProto.DOUBLE if onnx_type == TensorProto.DOUBLE else TensorProto.FLOAT


def _affine(node: Node, x: Value, factor: float, offset: float, onnx_type: int) -> Value:
    scaled = node.emit("mul", x, node.scalar(factor, x))
    return node.cast(node.emit("add", scaled, node.scalar(offset, scaled)), onnx_type)


def _shape_and_type(node: Node) -> tuple[Sequence[Dim], int]:
    """Returns shape and type of the result: attributes, or an input's."""
    if not node.op_type.endswith("Like"):
        return list(node.attr("shape")), int(node.attr("dtype", TensorProto.FLOAT))
    x = node.input(0)
    return x.shape, int(node.attr("dtype", x.onnx_type))


@onnx_operator("RandomUniform", "RandomUniformLike")
def random_uniform(node: Node) -> Value:
    """Imports RandomUniform and RandomUniformLike."""
    shape, onnx_type = _shape_and_type(node)
    low, high = node.attr("low", 0.0), node.attr("high", 1.0)
    return _affine(node, uniform(node, shape, _compute_type(onnx_type)), high - low, low, onnx_type)


@onnx_operator("RandomNormal", "RandomNormalLike")
def random_normal(node: Node) -> Value:
    """Imports RandomNormal and RandomNormalLike."""
    shape, onnx_type = _shape_and_type(node)
    samples = normal(node, shape, _compute_type(onnx_type))
    return _affine(node, samples, node.attr("scale", 1.0), node.attr("mean", 0.0), onnx_type)


@onnx_operator("Bernoulli", since=15)
def bernoulli(node: Node) -> Value:
    """Imports Bernoulli: 1 where a uniform sample is below the input."""
    x = node.input(0)
    samples = uniform(node, x.shape, _compute_type(x.onnx_type))
    drawn = node.emit("less", samples, node.cast(x, samples.onnx_type))
    return node.cast(drawn, int(node.attr("dtype", x.onnx_type)))


@onnx_operator("Multinomial", since=7)
def multinomial(node: Node) -> Value:
    """Imports Multinomial: classes drawn by their logarithmic weights `[batch, classes]`.

    A sample's class is the number of cumulative probabilities that a uniform sample reaches.
    """
    x = node.input(0)
    batch, classes = x.shape
    wide = node.cast(x, _compute_type(x.onnx_type))
    sums = node.emit("cumsum", node.emit("softmax", wide, axis=1), axis=1, exclusive=False, reverse=False)
    sums = node.reshape(sums, [batch, 1, classes])
    # The last sum is the total, which rounding may leave a little off 1.
    total = node.emit("slice", sums, starts=[0, 0, -1], sizes=[-1, -1, 1], steps=[1, 1, 1])
    drawn = uniform(node, [batch, int(node.attr("sample_size", 1)), 1], wide.onnx_type)
    reached = node.emit("less_equal", sums, node.emit("mul", drawn, total))
    counts = node.cast(reached, int(node.attr("dtype", TensorProto.INT32)))
    found = node.emit("reduce_sum", counts, axes=[2], keepdims=False)
    last = node.cast(i64_scalar(node, classes - 1), found.onnx_type)
    return node.emit("min", found, last)
