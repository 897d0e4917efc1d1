"""DFT and STFT.

Discrete Fourier transforms as products with constant matrices, computed at import by NumPy in f64.

Numbers are planar here: `[batch, 1 or 2, length]`, the real parts and, where there are any, the imaginary
parts. Short lengths are one product. Longer ones are taken apart into two factors (Cooley and Tukey, "An
Algorithm for the Machine Calculation of Complex Fourier Series", 1965), long primes become convolutions of
a length that has factors (Bluestein, "A linear filtering approach to the computation of discrete Fourier
transform", 1970).

Fourier transforms of lengths that only running tells: products with matrices that are computed then.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import differ, floordiv, product, surely_less
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.axis_masks import Rearrangement
from mlc.frontends.onnx.operators.common.dynamic_values import sliced
from mlc.frontends.onnx.operators.common.expressions import Formula, counting, dim, dims, formula, read_along
from mlc.frontends.onnx.registry import onnx_operator
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


# Lengths up to this are one product, and no factor is longer.
WHOLE = 64

# Up to this a length without factors is one product as well.
PRIME = 256


def static_length(z: Value) -> int:
    """How many numbers each line of `[batch, channels, length]` has, which is known."""
    return _dims(z)[2]


def _dims(z: Value) -> tuple[Dim, int, int]:
    batch, channels, length = z.shape
    assert isinstance(channels, int) and isinstance(length, int)
    return batch, channels, length


def fitted(node: Node, z: Value, length: int) -> Value:
    """The first `length` numbers of each line, zeros where there are fewer."""
    missing = length - static_length(z)
    if missing <= 0:
        return sliced(node, z, {2: (0, length, 1)}) if missing else z
    return node.emit("pad", z, low=[0, 0, 0], high=[0, 0, missing], mode="constant", value=0.0)


def transform(node: Node, z: Value, inverse: bool, bins: int | None = None) -> Value:
    """`[batch, 2, bins]`: the first bins of the transform of `z` (None: all). The inverse one is divided by
    the length."""
    length = static_length(z)
    rows = _factor(length)
    if length <= WHOLE or (rows == 1 and length <= PRIME):
        return _product(node, z, inverse, length if bins is None else bins)
    whole = _convolution(node, z, inverse) if rows == 1 else _in_steps(node, z, inverse, rows)
    return whole if bins is None else fitted(node, whole, bins)


def real_inverse(node: Node, z: Value, length: int) -> Value:
    """`[batch, 1, length]`: the real signal of which `z` holds the first `length // 2 + 1` bins."""
    count = length // 2 + 1
    z = fitted(node, z, count)
    if length <= WHOLE:
        units = np.eye(count)
        matrix = np.concatenate([np.fft.irfft(units, length), np.fft.irfft(1j * units, length)])
        batch, channels, _ = z.shape
        flat = node.reshape(z, [batch, channels * count])
        return node.reshape(
            node.emit("matmul", flat, node.constant(matrix[: _dims(z)[1] * count], z.dtype)),
            [batch, 1, length],
        )
    # The bins beyond the middle are those before it, backwards and conjugate.
    mirrored = sliced(node, z, {2: ((length - 1) // 2, (length - 1) // 2, -1)})
    signs = node.constant(np.array([[1], [-1]][: _dims(z)[1]]), z.dtype)
    whole = node.emit("concat", z, node.emit("mul", mirrored, signs), axis=2)
    return sliced(node, transform(node, whole, inverse=True), {1: (0, 1, 1)})


def _factor(length: int) -> int:
    """The largest factor that is neither over WHOLE nor over the square root; 1 if there is none."""
    return max(d for d in range(1, WHOLE + 1) if length % d == 0 and (d == 1 or d * d <= length))


def _matrix(length: int, inverse: bool) -> np.ndarray:
    """The transform of the unit vectors; symmetric."""
    return (np.fft.ifft if inverse else np.fft.fft)(np.eye(length))


def _real_form(matrix: np.ndarray, channels: int) -> np.ndarray:
    """What a row of real parts, then of `channels` - 1 imaginary parts, is multiplied by."""
    return np.block([[matrix.real, matrix.imag], [-matrix.imag, matrix.real]][:channels])


def _product(node: Node, z: Value, inverse: bool, bins: int) -> Value:
    batch, channels, length = _dims(z)
    matrix = node.constant(_real_form(_matrix(length, inverse)[:, :bins], channels), z.dtype)
    flat = node.reshape(z, [batch, channels * length])
    return node.reshape(node.emit("matmul", flat, matrix), [batch, 2, bins])


def _in_steps(node: Node, z: Value, inverse: bool, rows: int) -> Value:
    """Places are `i * columns + j`, bins `p + rows * q`: a transform over i, factors, a transform over j."""
    batch, channels, length = _dims(z)
    columns = length // rows
    matrix = node.constant(_real_form(_matrix(rows, inverse), channels).T, z.dtype)
    folded = node.reshape(z, [batch, channels * rows, columns])
    spread = node.reshape(node.emit("matmul", matrix, folded), [batch, 2, rows, columns])
    turns = np.outer(np.arange(rows), np.arange(columns)) / length
    turned = multiplied(node, spread, np.exp((2j if inverse else -2j) * np.pi * turns))
    lines = node.emit("transpose", turned, permutation=[0, 2, 1, 3])
    done = transform(node, node.reshape(lines, [batch * rows, 2, columns]), inverse)
    done = node.reshape(done, [batch, rows, 2, columns])
    return node.reshape(node.emit("transpose", done, permutation=[0, 2, 3, 1]), [batch, 2, length])


def multiplied(node: Node, z: Value, factors: np.ndarray) -> Value:
    """`z` (real and imaginary parts along axis 1) times complex constants of the shape behind that axis."""
    real, imaginary = factors.real, factors.imag
    if z.shape[1] == 1:
        return node.emit("mul", z, node.constant(np.stack([real, imaginary]), z.dtype))
    crossed = sliced(node, z, {1: (1, 2, -1)})
    one = node.emit("mul", z, node.constant(real, z.dtype))
    other = node.emit("mul", crossed, node.constant(np.stack([-imaginary, imaginary]), z.dtype))
    return node.emit("add", one, other)


def _convolution(node: Node, z: Value, inverse: bool) -> Value:
    """With c(n) = e^(-i pi n^2 / length): the bins are c times the convolution of `z` times c with 1 / c."""
    length = static_length(z)
    places = np.arange(length)
    chirp = np.exp((1j if inverse else -1j) * np.pi * (places**2 % (2 * length)) / length)
    padded = 1 << (2 * length - 1).bit_length()
    kernel = np.zeros(padded, complex)
    kernel[:length] = chirp.conj()
    kernel[padded - length + 1 :] = chirp.conj()[:0:-1]
    spectrum = transform(node, fitted(node, multiplied(node, z, chirp), padded), inverse=False)
    convolved = transform(node, multiplied(node, spectrum, np.fft.fft(kernel)), inverse=True, bins=length)
    return multiplied(node, convolved, chirp / length if inverse else chirp)


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
        raise NodeError(f"axis {given} is that of the real and imaginary parts")
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
        raise NodeError(f"the length {length} of the transform is not positive")
    shape = x.shape
    if shape[-1] not in (1, 2) and isinstance(shape[-1], int):
        raise NodeError(f"its last dim must be 1 (real) or 2 (complex), not {shape[-1]}")
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
        raise NodeError(f"frames of {length}, one every {step}, do not fit a signal of {size}")
    if window is not None and (window.rank != 1 or differ(window.shape[0], length)):
        raise NodeError(f"the window has shape {list(window.shape)}, but frames have length {length}")
    count = floordiv(size - length, step) + 1
    starts = counting(node, count).shaped([count, 1]) * dim(node, step)
    frames = node.emit("gather", x, (starts + counting(node, length)).value, axis=1)
    if window is not None:
        frames = node.emit("mul", frames, node.reshape(window, [length, 1]))
    return spectrum(node, frames, 2, length, inverse=False, onesided=bool(node.attr("onesided", 1)))
