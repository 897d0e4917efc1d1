"""The kernels on random numbers in the emulator, compared with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np
from emulator import Options, TensorMap, launch
from gpu_kernels.attention import Attention, build_attention
from gpu_kernels.gemm import Gemm, build_gemm
from gpu_kernels.lowering import lower
from gpu_kernels.mma_sync import MmaSync, build_mma_sync

from mlc.bindings import create_context, ir

Change = Callable[[ir.Module], ir.Module]
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


def as_built(module: ir.Module) -> ir.Module:
    """The kernel with scf, as its builder leaves it."""
    return module


def lower_kernel(module: ir.Module) -> ir.Module:
    """Lowers the kernel's control flow to branches and its instructions to PTX."""
    lower(module)
    return module


def gemm_error(
    config: Gemm, shape: tuple[int, int, int], blocks: int, options: Options, change: Change = as_built
) -> float:
    """The largest error, relative to the largest result."""
    (m, n, k), dtype = shape, DTYPES[config.element_type]
    random = np.random.default_rng(options.seed)
    a = random.standard_normal((m, k)).astype(dtype)
    b = random.standard_normal((k, n) if config.right_rows else (n, k)).astype(dtype)
    c = np.zeros((m, n), dtype)
    maps = TensorMap(a, (64, 128)), TensorMap(b, config.right_box), TensorMap(c, (64, 64))
    with create_context(), ir.Location.unknown():
        module = change(build_gemm(config))
        launch(module, *maps, m, n, k, grid=(blocks,), shared_bytes=config.shared_bytes, options=options)
    exact = a.astype(np.float32) @ (b if config.right_rows else b.T).astype(np.float32)
    return _error(c, np.maximum(exact, 0) if config.relu else exact)


def attention_error(
    config: Attention, shape: tuple[int, int, int, int], options: Options, change: Change = as_built
) -> float:
    """The same; `shape` is heads, heads per head of K, queries, keys."""
    heads, group, queries, keys = shape
    random = np.random.default_rng(options.seed)
    dims = (heads, queries), (heads // group, keys), (heads // group, keys)
    q, k, v = (random.standard_normal((*dim, config.width)).astype(ml_dtypes.bfloat16) for dim in dims)
    o = np.zeros_like(q)
    maps = [*(TensorMap(array, (64, 128, 1)) for array in (q, k, v)), TensorMap(o, (64, 64, 1))]
    scale, grid = math.log2(math.e) / math.sqrt(config.width), (-(-queries // 128), heads)
    with create_context(), ir.Location.unknown():
        module, size = change(build_attention(config)), config.shared_bytes
        launch(module, *maps, keys, group, scale, grid=grid, shared_bytes=size, options=options)
    k, v = (np.repeat(array.astype(np.float32), group, 0) for array in (k, v))
    return _error(o, attention(q.astype(np.float32), k, v, config.causal))


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> np.ndarray:
    """Attention of [heads, positions, width], in f32."""
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[2])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[1:], np.bool_)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def mma_sync_error(
    config: MmaSync, shape: tuple[int, int, int], options: Options, change: Change = as_built, cut: int = 0
) -> float:
    """The same; A misses its last `cut` rows."""
    (m, n, k), dtype = shape, DTYPES[config.element_type]
    random = np.random.default_rng(options.seed)
    a, b = (random.standard_normal(dims).astype(dtype) for dims in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    grid, size = (n // config.columns, m // config.rows), config.shared_bytes
    with create_context(), ir.Location.unknown():
        module = change(build_mma_sync(config))
        launch(module, a[: m - cut], b, c, n, k, grid=grid, shared_bytes=size, options=options)
    return _error(c, a.astype(np.float32) @ b.astype(np.float32))


def _error(result: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(result.astype(np.float32) - exact).max() / np.abs(exact).max())
