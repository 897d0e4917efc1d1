"""DFT and STFT."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.sizes import differ, floordiv, product, surely_less
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.common.axis_masks import Rearrangement
from mlc.frontends.onnx.operators.common.expressions import counting, dim, dims, formula
from mlc.frontends.onnx.operators.math.fourier_matrices import fitted, real_inverse, transform
from mlc.frontends.onnx.operators.math.fourier_matrices_dynamic import (
    told_real_inverse,
    told_transform,
    two_channels,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

_I64 = TensorProto.INT64


@onnx_operator("DFT", since=17)
def dft(node: Node) -> Value:
    """The axis is an attribute up to opset 19 (default 1), then an input (default -2)."""
    x = node.input(0)
    told = node.optional(2) if node.opset >= 20 else None
    if told is not None and not told.is_constant:
        return _along_told_axis(node, x, told)
    given = node.attr("axis", 1) if node.opset < 20 else -2 if told is None else node.ints(2)[0]
    axis = node.axis(given, x.rank)
    if axis == x.rank - 1:
        raise NodeFailure(f"axis {given} is that of the real and imaginary parts")
    return spectrum(node, x, axis, _length(node, x.shape[axis]), *_kind(node))


def _kind(node: Node) -> tuple[bool, bool]:
    """Whether it is the inverse transform, and whether of half of the bins."""
    return bool(node.attr("inverse", 0)), bool(node.attr("onesided", 0))


def _length(node: Node, size: Dim) -> Dim:
    """dft_length, or what follows from the length of the axis."""
    default = 2 * (size - 1) if all(_kind(node)) else size
    return _scalar(node, 1, default)


def _scalar(node: Node, index: int, default: Dim) -> Dim:
    value = node.optional(index)
    return default if value is None else node.read_dims(node.reshape(node.cast(value, _I64), [1]))[0]


def _along_told_axis(node: Node, x: Value, told: Value) -> Value:
    """The axis, which only running tells, is put last and back."""
    axis = formula(node, told, _I64).shaped([1]) % x.rank
    mask = counting(node, x.rank).equals(axis)
    lines = Rearrangement(node, x.shape, mask.value).apart(x)
    count, size = lines.shape
    planar = node.reshape(lines, [floordiv(count, x.shape[-1]), x.shape[-1], size])
    done = _transformed(node, node.cast(planar, _wide(x)), _length(node, size), *_kind(node))
    shape = mask.chosen(dim(node, done.shape[2]), dims(node, [*x.shape[:-1], done.shape[1]])).read()
    back = Rearrangement(node, [*shape[:-1], done.shape[1]], mask.value).together(done)
    return node.cast(back, x.number)


def _wide(x: Value) -> int:
    """f32 is computed in f64: differences of large numbers are what small bins are."""
    return (
        TensorProto.FLOAT if x.number in (TensorProto.FLOAT16, TensorProto.BFLOAT16) else TensorProto.DOUBLE
    )


def spectrum(node: Node, x: Value, axis: int, length: Dim, inverse: bool, onesided: bool) -> Value:
    """The transform along `axis` of x `[..., 1 or 2]`; its element type is x's."""
    if surely_less(length, 1):
        raise NodeFailure(f"the length {length} of the transform is not positive")
    shape = x.shape
    if shape[-1] not in (1, 2) and isinstance(shape[-1], int):
        raise NodeFailure(f"its last dim must be 1 (real) or 2 (complex), not {shape[-1]}")
    wide = node.cast(x, _wide(x))
    others = [i for i in range(x.rank - 1) if i != axis]
    order = [*others, x.rank - 1, axis]
    lines = node.emit("transpose", wide, permutation=order)
    planar = node.reshape(lines, [product([shape[i] for i in others]), shape[-1], shape[axis]])
    done = _transformed(node, planar, length, inverse, onesided)
    spread = node.reshape(done, [*(shape[i] for i in others), *done.shape[1:]])
    back = node.emit("transpose", spread, permutation=[order.index(i) for i in range(x.rank)])
    return node.cast(back, x.number)


def _transformed(node: Node, planar: Value, length: Dim, inverse: bool, onesided: bool) -> Value:
    """`[batch, 1 or 2, bins]` of `[batch, 1 or 2, numbers]`."""
    _, channels, size = planar.shape
    if not (isinstance(channels, int) and isinstance(size, int) and isinstance(length, int)):
        both = two_channels(node, planar, 1)
        if inverse and onesided:
            return told_real_inverse(node, both, length)
        return told_transform(node, both, length, inverse, onesided)
    if inverse and onesided:
        return real_inverse(node, planar, length)
    bins = length // 2 + 1 if onesided else None
    return transform(node, fitted(node, planar, length), inverse, bins)


@onnx_operator("STFT", since=17)
def stft(node: Node) -> Value:
    """Frames of the signal `[batch, length, 1 or 2]`, each times the window, each transformed."""
    x, window = node.input(0), node.optional(2)
    step, size = _scalar(node, 1, 1), x.shape[1]
    length = _scalar(node, 3, size if window is None else window.shape[0])
    if surely_less(step, 1) or surely_less(length, 1) or surely_less(size, length):
        raise NodeFailure(f"frames of {length}, one every {step}, do not fit a signal of {size}")
    if window is not None and (window.rank != 1 or differ(window.shape[0], length)):
        raise NodeFailure(f"the window has shape {list(window.shape)}, but frames have length {length}")
    count = floordiv(size - length, step) + 1
    starts = counting(node, count).shaped([count, 1]) * dim(node, step)
    frames = node.emit("gather", x, (starts + counting(node, length)).value, axis=1)
    if window is not None:
        frames = node.emit("mul", frames, node.reshape(window, [length, 1]))
    return spectrum(node, frames, 2, length, inverse=False, onesided=bool(node.attr("onesided", 1)))
