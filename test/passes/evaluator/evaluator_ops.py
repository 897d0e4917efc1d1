"""Graph ops in NumPy: elementwise ops, reductions, normalisations, products, movement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import evaluate
from mlc.dialects.graph.sizes.text import parse_size

Array = np.ndarray
_erf = np.vectorize(math.erf, otypes=[np.float64])


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _softplus(x: Array) -> Array:
    return np.logaddexp(x, 0)


def _gelu(x: Array, approximate: str) -> Array:
    if approximate == "tanh":
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if approximate == "sigmoid":
        return x * _sigmoid(1.702 * x)
    return x / 2 * (1 + _erf(x / math.sqrt(2)))


def _clamp(x: Array, min: float | None, max: float | None) -> Array:
    above = x if min is None else np.maximum(x, min)
    return above if max is None else np.minimum(above, max)


def _hard_sigmoid(x: Array, alpha: float, beta: float) -> Array:
    return _clamp(alpha * x + beta, 0, 1)


def _elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(x))


def _div(a: Array, b: Array) -> Array:
    return a / b if a.dtype.kind == "f" else (np.trunc(a / b)).astype(a.dtype)


def _mod(a: Array, b: Array, fmod: bool) -> Array:
    return np.fmod(a, b) if fmod else np.mod(a, b)


def _is_inf(x: Array, detect_negative: bool, detect_positive: bool) -> Array:
    return np.isposinf(x) & detect_positive | np.isneginf(x) & detect_negative


_NUMPY = "abs exp log sqrt floor ceil sign sin cos tan sinh cosh tanh"


def _check(x: Array, truth: Array, message: str) -> Array:
    if not truth:
        raise ValueError(message)
    return x


def _expect_indices(indices: Array, extents: Array, axis: int, front_only: bool, what: str) -> tuple[()]:
    least = 0 if front_only else -extents
    if not ((indices >= least) & (indices < extents)).all():
        raise ValueError(f"{what}: an index is out of bounds for axis {axis} and those after it")
    return ()


def _expect_nonzero(divisors: Array, what: str) -> tuple[()]:
    if not divisors.all():
        raise ValueError(f"{what}: a divisor is 0")
    return ()


def _expect_sizes(left: Array, right: Array, relation: str, fault: str, what: str) -> tuple[()]:
    if not (left == right if relation == "equal" else left >= right).all():
        raise ValueError(f"{what}: {fault}")
    return ()


CHECKS: dict[str, Callable[..., Any]] = {
    "check": _check,
    "expect_indices": _expect_indices,
    "expect_nonzero": _expect_nonzero,
    "expect_sizes": _expect_sizes,
}

ELEMENTWISE: dict[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in _NUMPY.split()},
    **{f"a{name}": getattr(np, f"arc{name}") for name in "sin cos tan sinh cosh tanh".split()},
    "neg": np.negative, "round": np.rint, "erf": _erf, "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x, "sigmoid": _sigmoid, "relu": lambda x: np.maximum(x, 0), "gelu": _gelu,
    "silu": lambda x: x * _sigmoid(x), "mish": lambda x: x * np.tanh(_softplus(x)), "softplus": _softplus,
    "softsign": lambda x: x / (1 + np.abs(x)), "hard_sigmoid": _hard_sigmoid,
    "hard_swish": lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5),
    "leaky_relu": lambda x, alpha: np.where(x < 0, alpha * x, x), "elu": _elu,
    "selu": lambda x, alpha, gamma: gamma * _elu(x, alpha),
    "celu": lambda x, alpha: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha)),
    "thresholded_relu": lambda x, alpha: np.where(x > alpha, x, 0), "clamp": _clamp,
    "prelu": lambda x, slope: np.where(x < 0, x * slope, x), "identity": lambda x: x,
    "not": np.logical_not, "bitwise_not": np.invert, "is_nan": np.isnan, "is_inf": _is_inf,
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _div, "pow": np.power, "min": np.minimum,
    "max": np.maximum, "mod": _mod, "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "shift_left": np.left_shift, "shift_right": np.right_shift, "equal": np.equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal, "where": np.where,
    "real": np.real, "imag": np.imag, "complex": lambda real, imag: real + 1j * imag,
}  # fmt: skip


def _reduction(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda x, axes, keepdims: np.asarray(function(x, axis=tuple(axes), keepdims=keepdims))


def _log_sum_exp(x: Array, **where: Any) -> Array:
    return np.log(np.sum(np.exp(x), **where))


def _arg(function: Callable[..., Array]) -> Callable[..., Array]:
    def rule(x: Array, axis: int, keepdims: bool, select_last_index: bool) -> Array:
        if not select_last_index:
            return np.asarray(function(x, axis=axis, keepdims=keepdims))
        return x.shape[axis] - 1 - np.asarray(function(np.flip(x, axis), axis=axis, keepdims=keepdims))

    return rule


def _scan(join: np.ufunc) -> Callable[..., Array]:
    def rule(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
        turned = np.flip(x, axis) if reverse else x
        if exclusive:
            first = np.full_like(np.take(turned, [0], axis), join.identity)
            turned = np.concatenate([first, np.take(turned, np.arange(x.shape[axis] - 1), axis)], axis)
        total = join.accumulate(turned, axis)
        return np.flip(total, axis) if reverse else total

    return rule


REDUCTIONS: dict[str, Callable[..., Array]] = {
    **{f"reduce_{name}": _reduction(getattr(np, name)) for name in ("sum", "mean", "max", "min", "prod")},
    "reduce_l1": _reduction(lambda x, **where: np.sum(np.abs(x), **where)),
    "reduce_l2": _reduction(lambda x, **where: np.sqrt(np.sum(x * x, **where))),
    "reduce_sum_square": _reduction(lambda x, **where: np.sum(x * x, **where)),
    "reduce_log_sum": _reduction(lambda x, **where: np.log(np.sum(x, **where))),
    "reduce_log_sum_exp": _reduction(_log_sum_exp),
    "arg_max": _arg(np.argmax), "arg_min": _arg(np.argmin), "cumsum": _scan(np.add),
    "cumprod": _scan(np.multiply),
}  # fmt: skip


def _softmax(x: Array, axis: int) -> Array:
    powers = np.exp(x - np.max(x, axis, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis, keepdims=True)


def _layer_norm(x: Array, axes: Sequence[int], epsilon: float) -> Array:
    mean, variance = (moment(x, axis=tuple(axes), keepdims=True) for moment in (np.mean, np.var))
    return (x - mean) / np.sqrt(variance + epsilon)


def _rms_norm(x: Array, axes: Sequence[int], epsilon: float) -> Array:
    return x / np.sqrt(np.mean(x * x, axis=tuple(axes), keepdims=True) + epsilon)


def _batch_norm(x: Array, scale: Array, bias: Array, mean: Array, variance: Array, epsilon: float) -> Array:
    shape = (1, -1, *[1] * (x.ndim - 2))
    factor = scale / np.sqrt(variance + epsilon)
    return x * factor.reshape(shape) + (bias - mean * factor).reshape(shape)


def _matmul_packed(a: Array, b: Array) -> Array:
    return np.einsum("...mk,bkt->...mbt" if b.ndim == 3 else "pmk,pbkt->pmbt", a, b)


PRODUCTS: dict[str, Callable[..., Array]] = {
    "softmax": _softmax, "log_softmax": lambda x, axis: np.log(_softmax(x, axis)), "layer_norm": _layer_norm,
    "rms_norm": _rms_norm, "batch_norm": _batch_norm, "matmul": np.matmul, "matmul_packed": _matmul_packed,
}  # fmt: skip


def _reshape(x: Array, dims: Array | None = None, *, shape: Sequence[int]) -> Array:
    return x.reshape([int(dim) for dim in (shape if dims is None else dims)])


def _expand(x: Array, dims: Array | None = None, *, shape: Sequence[int]) -> Array:
    own = (1,) * (len(shape) - x.ndim) + x.shape
    wanted = shape if dims is None else dims
    return np.broadcast_to(
        x, [a if b == -1 else max(a, int(b)) if b else 0 for a, b in zip(own, wanted, strict=True)]
    )


def _squeeze(x: Array, axes: Sequence[int]) -> Array:
    return np.squeeze(x, tuple(axes))


def _slice(x: Array, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Array:
    for axis, (start, size, step) in enumerate(zip(starts, sizes, steps, strict=True)):
        positions = np.arange(start, -1 if step < 0 else x.shape[axis], step)
        x = np.take(x, positions if size == -1 else start + step * np.arange(size), axis)
    return x


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}


def _pad(x: Array, low: Sequence[int], high: Sequence[int], mode: str, value: float) -> Array:
    # Negative padding cuts off, before the rest is added.
    ends = [size + min(after, 0) for size, after in zip(x.shape, high, strict=True)]
    x = x[tuple(slice(max(-before, 0), end) for before, end in zip(low, ends, strict=True))]
    widths = [(max(before, 0), max(after, 0)) for before, after in zip(low, high, strict=True)]
    more = {"constant_values": value} if mode == "constant" else {}
    return np.pad(x, widths, mode=_PAD_MODES[mode], **more)  # type: ignore[call-overload]


def _trilu(x: Array, upper: bool, k: int) -> Array:
    return np.triu(x, k) if upper else np.tril(x, k)


def pack(
    x: Array,
    inner_dims: Sequence[int],
    inner_tiles: Sequence[int],
    outer_permutation: Sequence[int] = (),
    padding: float | None = None,
) -> Array:
    """Packs dims like `linalg.pack`."""
    tiles = dict(zip(inner_dims, inner_tiles, strict=True))
    width = [(0, -size % tiles.get(axis, 1)) for axis, size in enumerate(x.shape)]
    x = np.pad(x, width, constant_values=padding or 0)
    split = [
        part for axis, size in enumerate(x.shape) for part in (size // tiles.get(axis, 1), tiles.get(axis, 1))
    ]
    order = [2 * axis for axis in outer_permutation or range(x.ndim)] + [2 * axis + 1 for axis in inner_dims]
    rest = [2 * axis + 1 for axis in range(x.ndim) if axis not in tiles]
    moved = x.reshape(split).transpose(order + rest)
    return moved.reshape(moved.shape[: len(order)])


def unpack(
    x: Array,
    inner_dims: Sequence[int],
    inner_tiles: Sequence[int],
    outer_permutation: Sequence[int] = (),
    shape: Sequence[int] | None = None,
) -> Array:
    """Unpacks dims like `linalg.unpack`; `shape` cuts padding off."""
    rank = x.ndim - len(inner_dims)
    outer = list(outer_permutation or range(rank))
    order: list[int] = []
    sizes = []
    for axis in range(rank):
        inner = [rank + index for index, dim in enumerate(inner_dims) if dim == axis]
        order += [outer.index(axis), *inner]
        sizes.append(x.shape[outer.index(axis)] * math.prod(x.shape[dim] for dim in inner))
    plain = x.transpose(order).reshape(sizes)
    return plain[tuple(slice(None if dim == -1 else dim) for dim in shape)] if shape else plain


def _gather(data: Array, indices: Array, axis: int) -> Array:
    return np.take(data, np.where(indices < 0, indices + data.shape[axis], indices), axis)


def _sizes(*vectors: Array, names: Sequence[str], dims: Sequence[str]) -> Array:
    extents = (int(extent) for vector in vectors for extent in vector)
    known = {name: extent for name, extent in zip(names, extents, strict=True) if name}
    return np.array([evaluate(parse_size(text), known) for text in dims], np.int64)


MOVEMENT: dict[str, Callable[..., Array]] = {
    "reshape": _reshape, "expand": _expand, "transpose": lambda x, permutation: x.transpose(permutation),
    "concat": lambda *parts, axis: np.concatenate(parts, axis), "squeeze": _squeeze,
    "unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
    "tile": lambda x, repeats: np.tile(x, repeats),
    "trilu": _trilu, "pack": pack, "unpack": unpack, "slice": _slice, "pad": _pad,
    "gather": _gather,
    "gather_elements": lambda data, indices, axis: np.take_along_axis(data, indices, axis),
    "shape_of": lambda x: np.array(x.shape, np.int64), "sizes": _sizes,
}  # fmt: skip


def _tree_ensemble(
    x: Array, roots: Array, features: Array, thresholds: Array, children: Array, weights: Array,
    depth: int, aggregate: str, checked: bool,
) -> Array:  # fmt: skip
    """Evaluates all rows and trees at once, a decision at a time. Leaves lead to themselves."""
    nodes = np.broadcast_to(len(weights) + roots, (len(x), *roots.shape))
    rows = np.broadcast_to(np.arange(len(x))[:, None, None], nodes.shape)
    for _ in range(depth):
        first = x[rows, features[nodes]] <= thresholds[nodes]
        nodes = len(weights) + children[nodes] + np.where(first, 0, 1)
    combined: dict[str, Callable[..., Array]] = {"sum": np.sum, "min": np.min, "max": np.max}
    return combined[aggregate](weights[nodes], 2)


OPS = {**ELEMENTWISE, **REDUCTIONS, **PRODUCTS, **MOVEMENT, "tree_ensemble": _tree_ensemble}
