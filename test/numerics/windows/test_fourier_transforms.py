"""DFT, STFT and mel weights against NumPy in f64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto
from oracle import compile_model, differences, reference
from pieces import Pieces

# One product; two and three factors; a prime that is one product; long primes.
LENGTHS = (1, 2, 7, 64, 100, 127, 1200, 4096, 257, 1009)
# Of results of magnitude 1, and of sums of `length` such values.
TOLERANCES = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-12}
ONNX_TYPES = {np.float16: TensorProto.FLOAT16, np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE}


def planes(signal: np.ndarray, dtype: Any) -> np.ndarray:
    """A complex or real array as ONNX has it: parts along a last dim."""
    if np.iscomplexobj(signal):
        return np.stack([signal.real, signal.imag], -1).astype(dtype)
    return signal[..., None].astype(dtype)


def signal_of(*shape: int, dtype: Any = np.float32, real: bool = False) -> np.ndarray:
    """Values that the type holds, in f64."""
    rng = np.random.default_rng(shape[-1])
    parts = rng.uniform(-1, 1, (2, *shape)).astype(dtype).astype(np.float64)
    return parts[0] if real else parts[0] + 1j * parts[1]


class Transforms:
    """Nodes of one model, and what they are to compute."""

    def __init__(self, dtype: Any, opset: int = 20) -> None:
        self.pieces, self.dtype = Pieces(opset), dtype
        self.expected: dict[str, np.ndarray] = {}

    def add(self, name: str, op: str, signal: np.ndarray, answer: np.ndarray, *extra: Any, **of: int) -> None:
        self.pieces.add(name, op, planes(signal, self.dtype), *extra, out=ONNX_TYPES[self.dtype], **of)
        self.expected[name] = planes(answer, self.dtype)

    def differences(self) -> dict[str, str]:
        actual = compile_model(self.pieces.model()).run(self.pieces.inputs)
        return differences(actual, self.expected, TOLERANCES[self.dtype])


def of_length(length: int, dtype: Any) -> Transforms:
    """Forward and inverse, real and complex, whole and one-sided."""
    found = Transforms(dtype)
    z, x = signal_of(2, length, dtype=dtype), signal_of(2, length, dtype=dtype, real=True)
    half = signal_of(2, length // 2 + 1, dtype=dtype)
    found.add("complex", "DFT", z, np.fft.fft(z))
    found.add("real", "DFT", x, np.fft.fft(x))
    found.add("onesided", "DFT", x, np.fft.rfft(x), onesided=1)
    found.add("inverse", "DFT", z, np.fft.ifft(z), inverse=1)
    found.add("real_inverse", "DFT", half, np.fft.irfft(half, length), length, inverse=1, onesided=1)
    return found


def test_a_length_of_two_factors() -> None:
    assert not of_length(100, np.float32).differences()


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(length: int, dtype: Any) -> None:
    assert not of_length(length, dtype).differences()


@pytest.mark.slow
def test_narrow_floats_are_transformed_in_f32() -> None:
    assert not of_length(20, np.float16).differences()


@pytest.mark.slow
def test_axes_and_lengths() -> None:
    """Zeros fill up what is too short; of what is too long the first part counts."""
    found = Transforms(np.float32)
    z = signal_of(3, 5, 4)
    for axis in (0, 1, -2, -3):
        # The dim of parts counts: -2 is the last of the signal.
        index = axis if axis >= 0 else axis + 1
        found.add(f"axis_{axis}", "DFT", z, np.fft.fft(z, axis=index), None, np.int64(axis))
    found.add("longer", "DFT", z, np.fft.fft(z, 9), 9)
    found.add("shorter", "DFT", z, np.fft.fft(z, 3), 3)
    found.add("shorter_onesided", "DFT", z.real, np.fft.rfft(z.real, 3), 3, onesided=1)
    assert not found.differences()
    older = Transforms(np.float32, opset=17)
    older.add("attribute", "DFT", z, np.fft.fft(z, axis=1), axis=1)
    older.add("default", "DFT", z, np.fft.fft(z, axis=1))
    assert not older.differences()


@pytest.mark.slow
def test_short_time_transforms() -> None:
    x, window = signal_of(2, 50, real=True), np.hanning(16).astype(np.float32)
    indices = 5 * np.arange((50 - 16) // 5 + 1)[:, None] + np.arange(16)
    frames = x[:, indices]
    found = Transforms(np.float32)
    found.add("window", "STFT", x, np.fft.rfft(frames * window), 5, list(window))
    found.add("no_window", "STFT", x, np.fft.rfft(frames), 5, None, 16)
    found.add("whole", "STFT", x, np.fft.fft(frames), 5, None, 16, onesided=0)
    assert not found.differences()


def test_mel_weights() -> None:
    pieces = Pieces(opset=17)
    cases = {"small": (8, 16, 8192, 0.0, 4096.0), "speech": (20, 400, 16000, 20.0, 7600.0)}
    for name, (*counts, low, high) in cases.items():
        edges = np.float32(low), np.float32(high)
        pieces.add(name, "MelWeightMatrix", *map(np.int64, counts), *edges, out=TensorProto.FLOAT)
    model = pieces.model()
    expected = reference(model, {})
    assert not differences(compile_model(model).run({}), expected)
