"""The fused attention in the emulator: numbers, before and after its lowering to branches and PTX."""

import math

import ml_dtypes
import numpy as np
import pytest
from emulator import Options, TensorMap, launch
from gpu_kernels.attention import Attention, build_attention
from gpu_kernels.lowering import lower
from mlc.bindings import create_context, ir

# Weights and results are rounded to bf16.
TOLERANCE = 2e-2
Shape = tuple[int, int, int, int]


def exact(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> np.ndarray:
    """Attention of [heads, positions, width], in f32."""
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[2])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], np.bool_)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def error(config: Attention, shape: Shape, options: Options, lowered: bool = False) -> float:
    """The largest error relative to the largest result; `shape` is heads, heads per head of K, queries,
    keys."""
    heads, group, queries, keys = shape
    random = np.random.default_rng(options.seed)
    dims = (heads, queries), (heads // group, keys), (heads // group, keys)
    q, k, v = (random.standard_normal((*each, config.width)).astype(ml_dtypes.bfloat16) for each in dims)
    o = np.zeros_like(q)
    with create_context(), ir.Location.unknown():
        module = build_attention(config)
        if lowered:
            lower(module)
        maps = [TensorMap(each, (64, 128, 1)) for each in (q, k, v)] + [TensorMap(o, (64, 64, 1))]
        scale = math.log2(math.e) / math.sqrt(config.width)
        grid = (-(-queries // 128), heads)
        launch(
            module, *maps, keys, group, scale, grid=grid, shared_bytes=config.shared_bytes, options=options
        )
    wanted = exact(
        q.astype(np.float32),
        np.repeat(k.astype(np.float32), group, 0),
        np.repeat(v.astype(np.float32), group, 0),
        config.causal,
    )
    return float(np.abs(o.astype(np.float32) - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize(
    ("config", "shape", "lowered"),
    [
        (Attention(width=64), (1, 1, 128, 320), False),
        (Attention(width=64, causal=True), (1, 1, 256, 256), True),
        (Attention(width=64, overlap=False), (1, 1, 128, 384), False),
    ],
)
def test_numbers(config: Attention, shape: Shape, lowered: bool) -> None:
    assert error(config, shape, Options(seed=1, warps_per_unit=4, races=True), lowered) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (Attention(), (2, 2, 256, 512)),
        (Attention(), (1, 1, 128, 320)),
        (Attention(causal=True), (2, 1, 512, 512)),
        (Attention(overlap=False), (1, 1, 128, 384)),
        (Attention(width=64, causal=True), (1, 1, 256, 256)),
    ],
)
def test_larger_numbers(config: Attention, shape: Shape) -> None:
    assert error(config, shape, Options(warps_per_unit=4)) < TOLERANCE
