"""Discrete Fourier transforms as products with constant matrices, computed at import by NumPy in f64.

Numbers are planar here: `[batch, 1 or 2, length]`, the real parts and, where there are any, the imaginary
parts. Short lengths are one product. Longer ones are taken apart into two factors (Cooley and Tukey, "An
Algorithm for the Machine Calculation of Complex Fourier Series", 1965), long primes become convolutions of
a length that has factors (Bluestein, "A linear filtering approach to the computation of discrete Fourier
transform", 1970).
"""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.tensor.slicing import sliced
from mlc.frontends.onnx.values import Dim, Value

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
