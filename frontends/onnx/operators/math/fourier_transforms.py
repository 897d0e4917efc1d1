"""DFT and STFT: discrete Fourier transforms as matrix products.

Complex values are planar here: `[batch, 1 or 2, length]`, the real parts and, where there are any, the
imaginary parts.

For static lengths the matrices are constants, computed at import by NumPy in f64. Short lengths are one
product. Longer ones are split into two factors (Cooley and Tukey, "An Algorithm for the Machine Calculation
of Complex Fourier Series", 1965), long primes become convolutions of a length that has factors (Bluestein, "A
linear filtering approach to the computation of discrete Fourier transform", 1970).

For dynamic lengths the matrices are computed at run time.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import always_less, differ, floordiv, product
from mlc.frontends.onnx.node import Node, NodeError, check_rank
from mlc.frontends.onnx.operators.common.axis_masks import Rearrangement
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.common.expressions import Formula, counting, dim, dims, formula, read_along
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


def dynamic_transform(node: Node, z: Value, length: Dim, inverse: bool, onesided: bool) -> Value:
    """Returns the transform of `length` elements of `z`, `[batch, 2, samples]`, as `[batch, 2, bins]`.

    Samples after `length` are not read.
    """
    bins = floordiv(length, 2) + 1 if onesided else length
    cosines, sines = _sinusoids(node, z.shape[2], length, bins, z.onnx_type)
    inside = (counting(node, z.shape[2]) < dim(node, length)).along(0, 2)
    factor = inside.cast(z.onnx_type)
    if inverse:
        factor = factor / dim(node, length, z.onnx_type)
    sign = -1.0 if inverse else 1.0
    return _multiply_by_waves(node, z, cosines * factor, sines * (factor * sign))


def dynamic_real_inverse(node: Node, z: Value, length: Dim) -> Value:
    """Returns `[batch, 1, length]`: the real signal whose first `length // 2 + 1` bins `z`, `[batch, 2,
    bins]`, holds."""
    cosines, sines = _sinusoids(node, z.shape[2], length, length, z.onnx_type)
    bins, whole = counting(node, z.shape[2]), dim(node, length)
    # Except the first and the middle one, each bin also represents its conjugate.
    single = bins.equals(0) | (bins * 2).equals(whole)
    times = ((bins * 2) <= whole).select(single.select(1, (bins * 0) + 2), bins * 0)
    factor = times.along(0, 2).cast(z.onnx_type) / dim(node, length, z.onnx_type)
    both = _multiply_by_waves(node, z, cosines * factor, sines * (factor * -1.0))
    return slice_axes(node, both, {1: (0, 1, 1)})


def _sinusoids(node: Node, count: Dim, length: Dim, bins: Dim, onnx_type: int) -> tuple[Formula, Formula]:
    """Returns `[count, bins]`: cosines and sines of 2 pi * index * bin / length."""
    whole = dim(node, length)
    steps = counting(node, count).reshape([count, 1]) * counting(node, bins) % whole
    angles = steps.cast(onnx_type) * (2 * np.pi) / whole.cast(onnx_type)
    return angles.apply("cos"), angles.apply("sin")


def _multiply_by_waves(node: Node, z: Value, cosines: Formula, sines: Formula) -> Value:
    """Returns real and imaginary parts of `z` times `cosines - i sines`."""
    along = formula(node, node.emit("matmul", z, cosines.value))
    across = formula(node, slice_axes(node, node.emit("matmul", z, sines.value), {1: (1, 2, -1)}))
    signs = formula(node, node.constant(np.array([[1], [-1]]), along.value.dtype))
    return (along + across * signs).value


def two_channels(node: Node, z: Value, axis: int) -> Value:
    """Returns complex values with both parts along an axis, which may hold only the real ones."""
    given = z.shape[axis]
    if given == 2:
        return z
    indices = counting(node, 2)
    inside = indices < dim(node, given)
    return read_along(formula(node, z), axis, indices.min(dim(node, given) - 1), inside).value


# Lengths up to this are one product, and the largest factor of others.
WHOLE = 64

# A length without factors up to this is one product as well.
PRIME = 256


def static_length(z: Value) -> int:
    """Returns the length of the lines of `[batch, channels, length]`, which is static."""
    return _dims(z)[2]


def _dims(z: Value) -> tuple[Dim, int, int]:
    batch, channels, length = z.shape
    assert isinstance(channels, int) and isinstance(length, int)
    return batch, channels, length


def fit_length(node: Node, z: Value, length: int) -> Value:
    """Returns the first `length` elements of each line, padded with zeros."""
    missing = length - static_length(z)
    if missing <= 0:
        return slice_axes(node, z, {2: (0, length, 1)}) if missing else z
    return node.emit("pad", z, low=[0, 0, 0], high=[0, 0, missing], mode="constant", value=0.0)


def transform(node: Node, z: Value, inverse: bool, bins: int | None = None) -> Value:
    """Returns `[batch, 2, bins]`: the first bins of the transform of `z` (None: all).

    The inverse transform is divided by the length.
    """
    length = static_length(z)
    # Of complex elements: the chirp, its transform and their products.
    node.reserve(4, length, itemsize=16)
    rows = _factor(length)
    if length <= WHOLE or (rows == 1 and length <= PRIME):
        return _product(node, z, inverse, length if bins is None else bins)
    whole = _convolution(node, z, inverse) if rows == 1 else _in_steps(node, z, inverse, rows)
    return whole if bins is None else fit_length(node, whole, bins)


def real_inverse(node: Node, z: Value, length: int) -> Value:
    """Returns `[batch, 1, length]`: the real signal whose first `length // 2 + 1` bins `z` holds."""
    count = length // 2 + 1
    z = fit_length(node, z, count)
    if length <= WHOLE:
        units = np.eye(count)
        matrix = np.concatenate([np.fft.irfft(units, length), np.fft.irfft(1j * units, length)])
        batch, channels, _ = z.shape
        flat = node.reshape(z, [batch, channels * count])
        return node.reshape(
            node.emit("matmul", flat, node.constant(matrix[: _dims(z)[1] * count], z.dtype)),
            [batch, 1, length],
        )
    # The bins after the middle are those before it, reversed and conjugated.
    mirrored = slice_axes(node, z, {2: ((length - 1) // 2, (length - 1) // 2, -1)})
    signs = node.constant(np.array([[1], [-1]][: _dims(z)[1]]), z.dtype)
    whole = node.emit("concat", z, node.emit("mul", mirrored, signs), axis=2)
    return slice_axes(node, transform(node, whole, inverse=True), {1: (0, 1, 1)})


def _factor(length: int) -> int:
    """Returns the largest factor that is neither over WHOLE nor over the square root; 1 if there is none."""
    return max(d for d in range(1, WHOLE + 1) if length % d == 0 and (d == 1 or d * d <= length))


def _matrix(length: int, inverse: bool) -> np.ndarray:
    """Returns the transform of the unit vectors, a symmetric matrix."""
    return (np.fft.ifft if inverse else np.fft.fft)(np.eye(length))


def _real_form(matrix: np.ndarray, channels: int) -> np.ndarray:
    """Returns the matrix that a row of real parts, then of `channels` - 1 imaginary parts, is multiplied
    by."""
    return np.block([[matrix.real, matrix.imag], [-matrix.imag, matrix.real]][:channels])


def _product(node: Node, z: Value, inverse: bool, bins: int) -> Value:
    batch, channels, length = _dims(z)
    matrix = node.constant(_real_form(_matrix(length, inverse)[:, :bins], channels), z.dtype)
    flat = node.reshape(z, [batch, channels * length])
    return node.reshape(node.emit("matmul", flat, matrix), [batch, 2, bins])


def _in_steps(node: Node, z: Value, inverse: bool, rows: int) -> Value:
    """Transforms a length with factors (Cooley-Tukey).

    Indices are `i * columns + j`, bins `p + rows * q`: a transform over i, twiddle factors, a transform over
    j.
    """
    batch, channels, length = _dims(z)
    columns = length // rows
    matrix = node.constant(_real_form(_matrix(rows, inverse), channels).T, z.dtype)
    folded = node.reshape(z, [batch, channels * rows, columns])
    spread = node.reshape(node.emit("matmul", matrix, folded), [batch, 2, rows, columns])
    twiddles = np.outer(np.arange(rows), np.arange(columns)) / length
    twiddled = multiply_complex(node, spread, np.exp((2j if inverse else -2j) * np.pi * twiddles))
    lines = node.emit("transpose", twiddled, permutation=[0, 2, 1, 3])
    done = transform(node, node.reshape(lines, [batch * rows, 2, columns]), inverse)
    done = node.reshape(done, [batch, rows, 2, columns])
    return node.reshape(node.emit("transpose", done, permutation=[0, 2, 3, 1]), [batch, 2, length])


def multiply_complex(node: Node, z: Value, factors: np.ndarray) -> Value:
    """Returns `z` (real and imaginary parts along axis 1) times complex constants of the shape after that
    axis."""
    real, imaginary = factors.real, factors.imag
    if z.shape[1] == 1:
        return node.emit("mul", z, node.constant(np.stack([real, imaginary]), z.dtype))
    crossed = slice_axes(node, z, {1: (1, 2, -1)})
    one = node.emit("mul", z, node.constant(real, z.dtype))
    other = node.emit("mul", crossed, node.constant(np.stack([-imaginary, imaginary]), z.dtype))
    return node.emit("add", one, other)


def _convolution(node: Node, z: Value, inverse: bool) -> Value:
    """Transforms any length by a convolution (Bluestein).

    With c(n) = e^(-i pi n^2 / length), the bins are c times the convolution of `z` times c with 1 / c.
    """
    length = static_length(z)
    indices = np.arange(length)
    chirp = np.exp((1j if inverse else -1j) * np.pi * (indices**2 % (2 * length)) / length)
    padded = 1 << (2 * length - 1).bit_length()
    kernel = np.zeros(padded, complex)
    kernel[:length] = chirp.conj()
    kernel[padded - length + 1 :] = chirp.conj()[:0:-1]
    spectrum = transform(node, fit_length(node, multiply_complex(node, z, chirp), padded), inverse=False)
    convolved = transform(
        node, multiply_complex(node, spectrum, np.fft.fft(kernel)), inverse=True, bins=length
    )
    return multiply_complex(node, convolved, chirp / length if inverse else chirp)


_I64 = TensorProto.INT64


@onnx_operator("DFT", since=17)
def dft(node: Node) -> Value:
    """Imports DFT. The axis is an attribute up to opset 19 (default 1), then an input (default -2)."""
    x = node.input(0)
    check_rank(x, 2, "input 0")
    inverse, onesided = _transform_flags(node)
    if onesided and not inverse and differ(x.shape[-1], 1):
        raise NodeError(f"the one-sided transform of a complex x of shape {x.shape_text} is not defined")
    axis_input = node.optional(2) if node.opset >= 20 else None
    if axis_input is not None and not axis_input.is_constant:
        return _along_dynamic_axis(node, x, axis_input)
    given = node.attr("axis", 1) if node.opset < 20 else -2 if axis_input is None else node.ints(2)[0]
    axis = node.axis(given, x.rank)
    if axis == x.rank - 1:
        raise NodeError(f"axis {given} is that of the real and imaginary parts")
    return spectrum(node, x, axis, _length(node, x.shape[axis]), inverse, onesided)


def _transform_flags(node: Node) -> tuple[bool, bool]:
    """Returns whether the transform is inverse, and whether it gives only half of the bins."""
    return bool(node.attr("inverse", 0)), bool(node.attr("onesided", 0))


def _length(node: Node, size: Dim) -> Dim:
    """Returns dft_length, or the length that follows from that of the axis."""
    default = 2 * (size - 1) if all(_transform_flags(node)) else size
    return _scalar(node, 1, default)


def _scalar(node: Node, index: int, default: Dim) -> Dim:
    value = node.optional(index)
    return default if value is None else node.read_dims(node.reshape(node.cast(value, _I64), [1]))[0]


def _along_dynamic_axis(node: Node, x: Value, axis_value: Value) -> Value:
    """Transforms along a dynamic axis, which is moved to the end and back."""
    axis = formula(node, axis_value, _I64).reshape([1]) % x.rank
    mask = counting(node, x.rank).equals(axis)
    lines = Rearrangement(node, x.shape, mask.value).apart(x)
    count, size = lines.shape
    planar = node.reshape(lines, [floordiv(count, x.shape[-1]), x.shape[-1], size])
    done = _transform_lines(node, node.cast(planar, _wide(x)), _length(node, size), *_transform_flags(node))
    shape = mask.select(dim(node, done.shape[2]), dims(node, [*x.shape[:-1], done.shape[1]])).read()
    back = Rearrangement(node, [*shape[:-1], done.shape[1]], mask.value).together(done)
    return node.cast(back, x.onnx_type)


def _wide(x: Value) -> int:
    """Returns the type to compute in: f64 for f32, since small bins are differences of large sums."""
    return (
        TensorProto.FLOAT
        if x.onnx_type in (TensorProto.FLOAT16, TensorProto.BFLOAT16)
        else TensorProto.DOUBLE
    )


def spectrum(node: Node, x: Value, axis: int, length: Dim, inverse: bool, onesided: bool) -> Value:
    """Returns the transform along `axis` of x `[..., 1 or 2]`, in x's element type. Raises NodeError for
    lengths below 1."""
    if always_less(length, 1):
        raise NodeError(f"the length {length} of the transform is not positive")
    shape = x.shape
    if shape[-1] not in (1, 2) and isinstance(shape[-1], int):
        raise NodeError(f"its last dim must be 1 (real) or 2 (complex), not {shape[-1]}")
    wide = node.cast(x, _wide(x))
    others = [i for i in range(x.rank - 1) if i != axis]
    order = [*others, x.rank - 1, axis]
    lines = node.emit("transpose", wide, permutation=order)
    planar = node.reshape(lines, [product([shape[i] for i in others]), shape[-1], shape[axis]])
    done = _transform_lines(node, planar, length, inverse, onesided)
    spread = node.reshape(done, [*(shape[i] for i in others), *done.shape[1:]])
    back = node.emit("transpose", spread, permutation=[order.index(i) for i in range(x.rank)])
    return node.cast(back, x.onnx_type)


def _transform_lines(node: Node, planar: Value, length: Dim, inverse: bool, onesided: bool) -> Value:
    """Transforms lines `[batch, 1 or 2, samples]` to `[batch, 1 or 2, bins]`."""
    _, channels, size = planar.shape
    if not (isinstance(channels, int) and isinstance(size, int) and isinstance(length, int)):
        both = two_channels(node, planar, 1)
        if inverse and onesided:
            return dynamic_real_inverse(node, both, length)
        return dynamic_transform(node, both, length, inverse, onesided)
    if inverse and onesided:
        return real_inverse(node, planar, length)
    bins = length // 2 + 1 if onesided else None
    return transform(node, fit_length(node, planar, length), inverse, bins)


@onnx_operator("STFT", since=17)
def stft(node: Node) -> Value:
    """Imports STFT: frames of the signal `[batch, length, 1 or 2]`, each multiplied by the window and
    transformed. Like ONNX Runtime, it also takes real signals `[batch, length]`."""
    x, window = node.input(0), node.optional(2)
    if x.rank not in (2, 3):
        raise NodeError(
            f"a signal of shape {x.shape_text} is neither [batch, length] nor [batch, length, 1 or 2]"
        )
    x = node.reshape(x, [*x.shape, 1]) if x.rank == 2 else x
    step, size = _scalar(node, 1, 1), x.shape[1]
    length = _scalar(node, 3, size if window is None else window.shape[0])
    if always_less(step, 1) or always_less(length, 1) or always_less(size, length):
        raise NodeError(f"frames of {length}, one every {step}, do not fit a signal of {size}")
    if window is not None and (window.rank != 1 or differ(window.shape[0], length)):
        raise NodeError(f"the window has shape {window.shape_text}, but frames have length {length}")
    count = floordiv(size - length, step) + 1
    starts = counting(node, count).reshape([count, 1]) * dim(node, step)
    frames = node.emit("gather", x, (starts + counting(node, length)).value, axis=1)
    if window is not None:
        frames = node.emit("mul", frames, node.reshape(window, [length, 1]))
    return spectrum(node, frames, 2, length, inverse=False, onesided=bool(node.attr("onesided", 1)))
