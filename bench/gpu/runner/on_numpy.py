"""Tensors and references by NumPy, for machines without torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from bench.gpu.runner.manifest import WeightSource
from bench.gpu.runner.operators import COMMON
from bench.operator_graph import Attributes, Operator, elementwise, window
from mlc.runtime.cuda import Device, DeviceMemory, Program, Tensor
from mlc.runtime.tensors import TensorSpec, as_bytes

Array = np.ndarray


class NumpyLibrary:
    """Makes tensors on the host; programs copy them."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.operators: Mapping[str, Operator] = OPERATORS

    def release(self) -> None:
        """Does nothing: NumPy frees arrays itself."""

    def draw(self, source: WeightSource) -> Array:
        """Draws a tensor of a seeded fill."""
        random, dtype = np.random.default_rng(source.seed), TensorSpec("", source.dtype, ()).numpy_dtype
        if source.fill == "integers":
            return random.integers(int(source.first), int(source.second), source.shape).astype(dtype)
        draw = random.normal if source.fill == "normal" else random.uniform
        return draw(source.first, source.second, source.shape).astype(dtype)

    def put(self, array: Array, dtype: str) -> Array:
        """Converts a shipped array, which has the bits of types that NumPy lacks, to a tensor."""
        return array.view(TensorSpec("", dtype, ()).numpy_dtype)

    def to_bytes(self, array: Array) -> Array:
        """Returns the tensor's bytes."""
        return as_bytes(array)

    def upload(self, array: Array) -> tuple[Tensor, object]:
        """Copies a tensor to the device; returns it and the owner of its memory."""
        memory = DeviceMemory(self.device, array.nbytes)
        memory.upload(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
        return Tensor(memory.address, str(array.dtype), array.shape, memory, self.device), memory

    def wide(self, array: Array) -> Array:
        """Converts floats to float64."""
        return (
            array.astype(np.float64)
            if not np.issubdtype(array.dtype, np.integer) and array.dtype != bool
            else array
        )

    def run(self, program: Program, inputs: Sequence[Array]) -> list[Array]:
        """Returns the program's outputs. It runs twice: the second call replays the captured graph."""
        program(*inputs)
        return program(*inputs)

    def empty(self, program: Program) -> list[Array]:
        """Returns arrays for the program's outputs."""
        return [np.empty(spec.sizes, spec.numpy_dtype) for spec in program.outputs]

    def error(self, found: Array, wanted: Array) -> float:
        """Returns the largest difference over the largest expected value; NaN if any value is NaN."""
        difference = np.abs(found.astype(np.float64) - wanted)
        return float(difference.max() / max(np.abs(wanted).max(), np.finfo(np.float64).tiny))


def _conv(a: Attributes, x: Array, weight: Array, bias: Array | None = None) -> Array:
    if a.get("group", 1) != 1 or set(a.get("dilations", [1])) != {1}:
        raise NotImplementedError("Conv with groups or dilations")
    rank = x.ndim - 2
    strides, pads = window(a, rank)
    padded = np.pad(x, [(0, 0), (0, 0), *pads])
    windows = sliding_window_view(padded, weight.shape[2:], tuple(range(2, x.ndim)))
    steps = tuple(slice(None, None, step) for step in strides)
    axes = [1, *range(2 + rank, 2 + 2 * rank)]
    product = np.tensordot(windows[:, :, *steps], weight, (axes, list(range(1, weight.ndim))))
    y = np.moveaxis(product, -1, 1)
    return y if bias is None else y + bias.reshape(-1, *[1] * rank)


def _layer_normalization(a: Attributes, x: Array, scale: Array, bias: Array | None = None) -> Array:
    axes = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + a.get("epsilon", 1e-5)) * scale
    return y if bias is None else y + bias


def _softmax(a: Attributes, x: Array) -> Array:
    axis = a.get("axis", -1)
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _attention(a: Attributes, q: Array, k: Array, v: Array) -> Array:
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if a.get("is_causal", 0):
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    return _softmax({}, scores) @ v


def _gelu(a: Attributes, x: Array) -> Array:
    if a.get("approximate", "none") == "tanh":
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + _erf(x / math.sqrt(2)))


_erf = np.vectorize(math.erf, otypes=[np.float64])

OPERATORS: dict[str, Operator] = {
    **COMMON,
    "Attention": _attention,
    "Concat": lambda a, *parts: np.concatenate(parts, a["axis"]),
    "Conv": _conv,
    "Erf": elementwise(_erf),
    "Gather": lambda a, x, indices: np.take(x, indices, a.get("axis", 0)),
    "Gelu": _gelu,
    "LayerNormalization": _layer_normalization,
    "Relu": elementwise(lambda x: np.maximum(x, 0)),
    "Softmax": _softmax,
    "Sqrt": elementwise(np.sqrt),
    "Tanh": elementwise(np.tanh),
    "Transpose": lambda a, x: x.transpose(a.get("perm")),
    "Where": elementwise(np.where),
}
