"""Fourier transforms of lengths that only running tells: products with matrices that are computed then."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.sizes import floordiv
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import Formula, counting, dim, formula, read_along
from mlc.frontends.onnx.operators.tensor.slicing import sliced
from mlc.frontends.onnx.values import Dim, Value


def told_transform(node: Node, z: Value, length: Dim, inverse: bool, onesided: bool) -> Value:
    """`[batch, 2, bins]`: the transform of `length` of `z`, `[batch, 2, numbers]`, of which those behind the
    length are not read."""
    bins = floordiv(length, 2) + 1 if onesided else length
    cosines, sines = _waves(node, z.shape[2], length, bins, z.number)
    inside = (counting(node, z.shape[2]) < dim(node, length)).along(0, 2)
    factor = inside.cast(z.number)
    if inverse:
        factor = factor / dim(node, length, z.number)
    sign = -1.0 if inverse else 1.0
    return _combined(node, z, cosines * factor, sines * (factor * sign))


def told_real_inverse(node: Node, z: Value, length: Dim) -> Value:
    """`[batch, 1, length]`: the real signal of which `z`, `[batch, 2, numbers]`, holds the first
    `length // 2 + 1` bins."""
    cosines, sines = _waves(node, z.shape[2], length, length, z.number)
    bins, whole = counting(node, z.shape[2]), dim(node, length)
    # But for the first one, and the middle one, each bin stands for its conjugate too.
    single = bins.equals(0) | (bins * 2).equals(whole)
    times = ((bins * 2) <= whole).chosen(single.chosen(1, (bins * 0) + 2), bins * 0)
    factor = times.along(0, 2).cast(z.number) / dim(node, length, z.number)
    both = _combined(node, z, cosines * factor, sines * (factor * -1.0))
    return sliced(node, both, {1: (0, 1, 1)})


def _waves(node: Node, count: Dim, length: Dim, bins: Dim, number: int) -> tuple[Formula, Formula]:
    """`[count, bins]`: cosines and sines of 2 pi times place by bin, of `length` that make a whole turn."""
    whole = dim(node, length)
    turns = counting(node, count).shaped([count, 1]) * counting(node, bins) % whole
    angles = turns.cast(number) * (2 * np.pi) / whole.cast(number)
    return angles.apply("cos"), angles.apply("sin")


def _combined(node: Node, z: Value, cosines: Formula, sines: Formula) -> Value:
    """Real and imaginary parts of `z` times `cosines - i sines`."""
    along = formula(node, node.emit("matmul", z, cosines.value))
    across = formula(node, sliced(node, node.emit("matmul", z, sines.value), {1: (1, 2, -1)}))
    signs = formula(node, node.constant(np.array([[1], [-1]]), along.value.dtype))
    return (along + across * signs).value


def two_channels(node: Node, z: Value, axis: int) -> Value:
    """Numbers with a real and an imaginary part along an axis, which has one or both of them."""
    given = z.shape[axis]
    if given == 2:
        return z
    places = counting(node, 2)
    inside = places < dim(node, given)
    return read_along(formula(node, z), axis, places.min(dim(node, given) - 1), inside).value
