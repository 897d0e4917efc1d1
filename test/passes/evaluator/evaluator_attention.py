"""Attention and rotary embedding in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray


def _attention(
    q: Array, k: Array, v: Array, mask: Array | None = None, *,
    scale: float, causal: bool, fill: float | None, safe: bool,
) -> Array:  # fmt: skip
    shared = q.shape[-3] // k.shape[-3]
    k, v = (np.repeat(heads, shared, axis=-3) for heads in (k, v))
    scores = scale * (q @ np.swapaxes(k, -1, -2))
    if mask is not None:
        low = -np.inf if fill is None else fill
        scores = np.where(mask, scores, low) if mask.dtype == bool else scores + mask
    if causal:
        queries, keys = scores.shape[-2:]
        scores = scores + np.triu(np.full((queries, keys), -np.inf), keys - queries + 1)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    return (np.where(np.isnan(weights), 0, weights) if safe else weights) @ v


def _rotary_embedding(x: Array, cos: Array, sin: Array, interleaved: bool) -> Array:
    if interleaved:
        rotated = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    else:
        first, second = np.split(x, 2, -1)
        rotated = np.concatenate([-second, first], -1)
    return x * cos + rotated * sin


ATTENTION_OPS: dict[str, Callable[..., Array]] = {
    "attention": _attention,
    "rotary_embedding": _rotary_embedding,
}
