"""DFT, STFT and MelWeightMatrix."""

from __future__ import annotations

import numpy as np
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.spectra import fitted, real_inverse, transform
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value
from onnx import TensorProto


@onnx_operator("DFT", since=17)
def dft(node: Node) -> Value:
    """The axis is an attribute up to opset 19 (default 1), then an input (default -2)."""
    x = node.input(0)
    inverse, onesided = bool(node.attr("inverse", 0)), bool(node.attr("onesided", 0))
    given = node.attr("axis", 1) if node.opset < 20 else _scalar(node, 2, -2)
    axis = node.axis(given, x.rank)
    if axis == x.rank - 1:
        raise NodeFailure(f"axis {given} is that of the real and imaginary parts")
    size = node.shape(x)[axis]
    length = _scalar(node, 1, 2 * (size - 1) if inverse and onesided else size)
    return spectrum(node, x, axis, length, inverse, onesided)


def _scalar(node: Node, index: int, default: int) -> int:
    return node.ints(index)[0] if node.optional(index) is not None else default


def spectrum(node: Node, x: Value, axis: int, length: int, inverse: bool, onesided: bool) -> Value:
    """The transform along `axis` of x `[..., 1 or 2]`; its element type is x's.

    f32 is computed in f64: differences of large numbers are what small bins are.
    """
    if length < 1:
        raise NodeFailure(f"the length {length} of the transform is not positive")
    shape = node.shape(x)
    if shape[-1] not in (1, 2):
        raise NodeFailure(f"its last dim must be 1 (real) or 2 (complex), not {shape[-1]}")
    narrow = x.number in (TensorProto.FLOAT16, TensorProto.BFLOAT16)
    wide = node.cast(x, TensorProto.FLOAT if narrow else TensorProto.DOUBLE)
    others = [i for i in range(x.rank - 1) if i != axis]
    order = [*others, x.rank - 1, axis]
    lines = node.emit("transpose", wide, permutation=order)
    batch = int(np.prod([shape[i] for i in others], dtype=np.int64))
    planar = node.reshape(lines, [batch, shape[-1], shape[axis]])
    if inverse and onesided:
        done = real_inverse(node, planar, length)
    else:
        bins = length // 2 + 1 if onesided else None
        done = transform(node, fitted(node, planar, length), inverse, bins)
    spread = node.reshape(done, [*(shape[i] for i in others), *node.shape(done)[1:]])
    back = node.emit("transpose", spread, permutation=[order.index(i) for i in range(x.rank)])
    return node.cast(back, x.number)


@onnx_operator("STFT", since=17)
def stft(node: Node) -> Value:
    """Frames of the signal `[batch, length, 1 or 2]`, each times the window, each transformed."""
    x, window = node.input(0), node.optional(2)
    (step,) = node.ints(1)
    size = node.shape(x)[1]
    length = _scalar(node, 3, size if window is None else node.shape(window)[0])
    if step < 1 or not 1 <= length <= size:
        raise NodeFailure(f"frames of {length}, one every {step}, do not fit a signal of {size}")
    if window is not None and node.shape(window) != [length]:
        raise NodeFailure(f"the window has shape {node.shape(window)}, but frames have length {length}")
    starts = step * np.arange((size - length) // step + 1)
    places = node.emit("add", node.constant(starts[:, None]), node.constant(np.arange(length)))
    frames = node.emit("gather", x, places, axis=1)
    if window is not None:
        frames = node.emit("mul", frames, node.reshape(window, [length, 1]))
    return spectrum(node, frames, 2, length, inverse=False, onesided=bool(node.attr("onesided", 1)))


@onnx_operator("MelWeightMatrix", since=17)
def mel_weight_matrix(node: Node) -> Value:
    bands, length, rate = (node.ints(i)[0] for i in range(3))
    low, high = (float(node.elements(node.input(i)).reshape(-1)[0]) for i in (3, 4))
    number = int(node.attr("output_datatype", TensorProto.FLOAT))
    return node.constant(mel_weights(bands, length, rate, low, high).astype(types.numpy_dtype(number)))


def mel_weights(bands: int, length: int, rate: int, low: float, high: float) -> np.ndarray:
    """`[length // 2 + 1, bands]`: triangles of height 1, evenly spaced in mel between `low` and `high` Hz.

    As ONNX computes them: the distance is that of `bands + 2` intervals, and edges are bins.
    """
    mels = 2595 * np.log1p(np.array([low, high]) / 700) / np.log(10)
    edges = np.arange(bands + 2) * ((mels[1] - mels[0]) / (bands + 2)) + mels[0]
    hertz = 700 * np.expm1(edges / 2595 * np.log(10))
    bins = ((length + 1) * hertz // rate).astype(int)
    if bins.min() < 0 or bins[:-1].max() > length // 2 or bins[-1] > length // 2 + 1:
        raise NodeFailure(f"{low} to {high} Hz reach beyond the bins of a transform of {length} at {rate} Hz")
    places = np.arange(length // 2 + 1)[:, None]
    left, peak, right = bins[:-2], bins[1:-1], bins[2:]
    rising = np.where(peak == left, places == peak, (places - left) / np.maximum(peak - left, 1))
    falling = (right - places) / np.maximum(right - peak, 1)
    inside = (places >= left) & (places <= peak), (places >= peak) & (places < right)
    return np.where(inside[1], falling, np.where(inside[0], rising, 0.0))
