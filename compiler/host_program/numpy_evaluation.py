"""Evaluates graph ops in NumPy: elementwise arithmetic, rounding to 16 bits, and the movement of data.

Each computes as the kernel would: IEEE arithmetic in the operands' type, one rounding per op. Kernels may
fuse a product and a sum, which rounds once less; nothing else differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mlc.runtime.tensors import bfloat16_bits

Array = np.ndarray


def _slice(x: Array, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Array:
    """Slices x; steps are at least 1 (`can_evaluate`), negative starts count from the end."""
    return x[tuple(map(_range, starts, sizes, steps, x.shape))]


def _range(start: int, size: int, step: int, dim: int) -> slice:
    """Returns the slice of `size` elements of a dim from `start` on, of all that follow if `size` is
    negative."""
    first = start + dim if start < 0 else start
    return slice(first, dim if size < 0 else first + size * step, step)


def _pad(x: Array, low: Sequence[int], high: Sequence[int], value: float) -> Array:
    return np.pad(x, list(zip(low, high, strict=True)), constant_values=value)


def _pack(
    x: Array,
    inner_dims: Sequence[int],
    inner_tiles: Sequence[int],
    outer_permutation: Sequence[int],
    padding: float | None,
) -> Array:
    tiles = dict(zip(inner_dims, inner_tiles, strict=True))
    if padding is not None:
        missing = [-dim % tiles.get(axis, 1) for axis, dim in enumerate(x.shape)]
        x = _pad(x, [0] * x.ndim, missing, padding)
    # Dim i becomes dims 2i (blocks) and 2i+1 (within a block).
    split = [part for axis, dim in enumerate(x.shape) for part in _blocks(dim, tiles.get(axis, 1))]
    outer = [2 * axis for axis in outer_permutation or range(x.ndim)]
    inner = [2 * axis + 1 for axis in inner_dims]
    rest = [2 * axis + 1 for axis in range(x.ndim) if axis not in tiles]
    moved = x.reshape(split).transpose(outer + inner + rest)
    return moved.reshape(moved.shape[: len(outer) + len(inner)])


def _blocks(dim: int, tile: int) -> tuple[int, int]:
    return dim // tile, tile


def _gather(x: Array, indices: Array, axis: int) -> Array:
    return np.take(x, _clamp_indices(indices, x.shape[axis]), axis)


def _gather_elements(x: Array, indices: Array, axis: int) -> Array:
    """Gathers elements; where dims of `indices` are smaller than those of `x` the first coordinates count."""
    kept = tuple(slice(None if dim == axis else size) for dim, size in enumerate(indices.shape))
    return np.take_along_axis(x[kept], _clamp_indices(indices, x.shape[axis]), axis)


def _gather_nd(x: Array, indices: Array, batch_dims: int) -> Array:
    batch = np.indices(indices.shape[:-1], sparse=True)[:batch_dims]
    extents = x.shape[batch_dims : batch_dims + indices.shape[-1]]
    return x[(*batch, *(_clamp_indices(indices[..., at], extent) for at, extent in enumerate(extents)))]


def _clamp_indices(indices: Array, extent: int) -> Array:
    """Returns indices as kernels use them: negative ones count from the end, those outside are clamped."""
    return np.clip(np.where(indices < 0, indices + extent, indices), 0, extent - 1)


def _round_to(x: Array, to: str) -> Array:
    """Rounds to the nearest value of type `to`, in the type in which buffers hold it."""
    return bfloat16_bits(x) if to == "bfloat16" else x.astype(to)


_ARITHMETIC: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "reciprocal": lambda x: np.divide(x.dtype.type(1), x),
    "rsqrt": lambda x: np.divide(x.dtype.type(1), np.sqrt(x)),
}
_ROUNDING: dict[str, Callable[..., Array]] = {"cast": _round_to}
_MOVEMENT: dict[str, Callable[..., Array]] = {
    "identity": lambda x: x,
    "transpose": lambda x, permutation: x.transpose(permutation),
    "slice": _slice,
    "pad": lambda x, low, high, mode, value: _pad(x, low, high, value),
    "pack": _pack,
    "concat": lambda *xs, axis: np.concatenate(xs, axis),
    "gather": _gather,
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
}
# Movement that adds no constants.
_PLAIN = frozenset({"identity", "transpose", "concat", "gather", "gather_elements", "gather_nd"})
# Ops that are given their result's shape.
_SHAPED: dict[str, Callable[[Array, tuple[int, ...]], Array]] = {
    "reshape": np.reshape,
    "squeeze": np.reshape,
    "unsqueeze": np.reshape,
    "expand": np.broadcast_to,
}
_FLOATS = frozenset({"float32", "float64"})
# The element types of evaluated ops, and those to which f32 is rounded, whose data only move.
HALVES = frozenset({"float16", "bfloat16"})
TYPES = _FLOATS | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def can_evaluate(name: str, attributes: Mapping[str, Any], dtype: str, operands: int) -> bool:
    """Whether `evaluate` computes the op (without its dialect's name) on elements of type `dtype`."""
    if name in _ARITHMETIC:
        return dtype in _FLOATS
    if name in _SHAPED:
        # With a second operand the shape is dynamic.
        return dtype in TYPES | HALVES and operands == 1
    if name == "pad":
        # Zeros are zeros in bits too.
        known = TYPES | HALVES if repr(attributes["value"]) == "0.0" else TYPES
        return dtype in known and attributes["mode"] == "constant"
    if name == "slice":
        return dtype in TYPES and min(attributes["steps"], default=1) > 0
    if name in _PLAIN:
        return dtype in TYPES | HALVES
    return name in _MOVEMENT and dtype in TYPES


def can_evaluate_cast(source: str, target: str) -> bool:
    """Whether `evaluate` computes a cast between these element types, with the attribute `to`."""
    return source == "float32" and target in HALVES


def evaluate(
    name: str, attributes: Mapping[str, Any], operands: Sequence[Array], shape: tuple[int, ...]
) -> Array:
    """Returns the op's result, of shape `shape`; it may be a view of an operand."""
    if name in _SHAPED:
        return _SHAPED[name](operands[0], shape)
    return {**_ARITHMETIC, **_MOVEMENT, **_ROUNDING}[name](*operands, **attributes)
