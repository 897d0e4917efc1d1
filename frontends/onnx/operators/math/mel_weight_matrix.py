"""MelWeightMatrix."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import floordiv
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import require
from mlc.frontends.onnx.operators.common.expressions import counting, dim, formula, read_along
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("MelWeightMatrix", since=17)
def mel_weight_matrix(node: Node) -> Value:
    """Imports MelWeightMatrix."""
    onnx_type = int(node.attr("output_datatype", TensorProto.FLOAT))
    if not all(node.input(i).is_constant for i in range(5)):
        return node.cast(_dynamic_mel_weights(node), onnx_type)
    bands, length, rate = (node.ints(i)[0] for i in range(3))
    node.reserve(max(bands, 0) + 2, abs(length))
    low, high = (float(node.elements(node.input(i)).reshape(-1)[0]) for i in (3, 4))
    return node.constant(
        mel_weights(bands, length, rate, low, high).astype(element_types.numpy_dtype(onnx_type))
    )


def mel_weights(bands: int, length: int, rate: int, low: float, high: float) -> np.ndarray:
    """Returns `[length // 2 + 1, bands]`: triangles of height 1, evenly spaced in mel between `low` and
    `high` Hz.

    As in ONNX, the distance is that of `bands + 2` intervals, and edges are bins. Raises NodeError where
    frequencies reach beyond the bins.
    """
    mels = 2595 * np.log1p(np.array([low, high]) / 700) / np.log(10)
    edges = np.arange(bands + 2) * ((mels[1] - mels[0]) / (bands + 2)) + mels[0]
    hertz = 700 * np.expm1(edges / 2595 * np.log(10))
    bins = ((length + 1) * hertz // rate).astype(int)
    if bins.min() < 0 or bins[:-1].max() > length // 2 or bins[-1] > length // 2 + 1:
        raise NodeError(f"{low} to {high} Hz reach beyond the bins of a transform of {length} at {rate} Hz")
    indices = np.arange(length // 2 + 1)[:, None]
    left, peak, right = bins[:-2], bins[1:-1], bins[2:]
    rising = np.where(peak == left, indices == peak, (indices - left) / np.maximum(peak - left, 1))
    falling = (right - indices) / np.maximum(right - peak, 1)
    inside = (indices >= left) & (indices <= peak), (indices >= peak) & (indices < right)
    return np.where(inside[1], falling, np.where(inside[0], rising, 0.0))


def _dynamic_mel_weights(node: Node) -> Value:
    """Returns the matrix for dynamic inputs."""
    vectors = [node.reshape(node.input(i), [1]) for i in range(5)]
    bands, length = (node.read_dims(node.cast(vector, TensorProto.INT64))[0] for vector in vectors[:2])
    rate, low, high = (formula(node, vector, TensorProto.DOUBLE) for vector in vectors[2:])
    low_mel, high_mel = (
        ((frequency / 700 + 1).apply("log")) * (2595 / math.log(10)) for frequency in (low, high)
    )
    steps = counting(node, bands + 2, TensorProto.DOUBLE)
    edges = steps * ((high_mel - low_mel) / dim(node, bands + 2, TensorProto.DOUBLE)) + low_mel
    hertz = ((edges * (math.log(10) / 2595)).apply("exp") - 1) * 700
    bins = (hertz * dim(node, length + 1, TensorProto.DOUBLE) / rate).apply("floor")
    left, peak, right = (read_along(bins, 0, counting(node, bands) + first) for first in range(3))
    count = floordiv(length, 2) + 1
    indices = counting(node, count, TensorProto.DOUBLE).reshape([count, 1])
    at_peak = (indices + left * 0).equals(peak).cast(TensorProto.DOUBLE)
    rising = peak.equals(left).select(at_peak, (indices - left) / (peak - left).max(1))
    falling = (right - indices) / (right - peak).max(1)
    rises = (indices >= left) & (indices <= peak)
    falls = (indices >= peak) & (indices < right)
    weights = falls.select(falling, rises.select(rising, rising * 0)).value
    end = dim(node, count, TensorProto.DOUBLE)
    bins_exist = (left >= 0) & (peak < end) & (right <= end)
    return require(node, weights, bins_exist.value, "frequencies reach beyond the bins of the transform")
