"""Kernels in Triton as in its tutorials: products, rows, elements."""

# Triton compiles the kernels' source with its own types. Upper-case arguments are compile-time constants.
# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

TILES = (
    (128, 256, 64, 8, 3),
    (128, 128, 64, 8, 3),
    (128, 128, 64, 4, 4),
    (128, 128, 32, 4, 4),
    (64, 128, 64, 4, 4),
)
CONFIGS = [
    triton.Config(
        {"ROWS": rows, "COLUMNS": columns, "STEP": step, "GROUP": 8}, num_warps=warps, num_stages=stages
    )
    for rows, columns, step, warps, stages in TILES
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k"])
@triton.jit
def _matmul(
    a,
    b,
    y,
    m,
    n,
    k,
    TF32: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    STEP: tl.constexpr,
    GROUP: tl.constexpr,
):
    """Computes a batch of products whose sizes are multiples of the tiles; dim 1 of the grid is the batch."""
    batch = tl.program_id(1).to(tl.int64)
    a += batch * m * k
    b += batch * k * n
    y += batch * m * n
    block, down, across = tl.program_id(0), m // ROWS, n // COLUMNS
    # Blocks that run at the same time share operands.
    first = block // (GROUP * across) * GROUP
    height = min(down - first, GROUP)
    row, column = first + block % (GROUP * across) % height, block % (GROUP * across) // height
    rows, columns = row * ROWS + tl.arange(0, ROWS), column * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, STEP)
    left, right = a + rows[:, None] * k + steps[None, :], b + steps[:, None] * n + columns[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(0, k, STEP):
        total = tl.dot(tl.load(left), tl.load(right), total, input_precision="tf32" if TF32 else "ieee")
        left += STEP
        right += STEP * n
    tl.store(y + rows[:, None] * n + columns[None, :], total.to(y.dtype.element_ty))


def matmul(a: Any, b: Any, weights: Any = ()) -> Any:
    """Multiplies `[..., m, k]` and `[..., k, n]`, with sizes that are multiples of 256."""
    m, k, n = *a.shape[-2:], b.shape[-1]
    y = torch.empty(*a.shape[:-1], n, device=a.device, dtype=a.dtype)
    tf32 = a.dtype != torch.float32 or torch.backends.cuda.matmul.allow_tf32
    batches = a.numel() // (m * k)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        """Returns the grid for a configuration."""
        return m // meta["ROWS"] * (n // meta["COLUMNS"]), batches

    _matmul[grid](a, b, y, m, n, k, TF32=tf32)
    return y


@triton.jit
def _softmax(x, y, columns, WIDTH: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * columns + tl.arange(0, WIDTH)
    inside = tl.arange(0, WIDTH) < columns
    row = tl.load(x + offsets, mask=inside, other=-float("inf")).to(tl.float32)
    powers = tl.exp(row - tl.max(row, 0))
    tl.store(y + offsets, (powers / tl.sum(powers, 0)).to(y.dtype.element_ty), mask=inside)


def softmax(x: Any, weights: Any = ()) -> Any:
    """Computes a softmax over the last dim."""
    y, columns = torch.empty_like(x), x.shape[-1]
    width = triton.next_power_of_2(columns)
    _softmax[(x.numel() // columns,)](x, y, columns, WIDTH=width, num_warps=min(16, max(4, width // 512)))
    return y


@triton.jit
def _layer_norm(x, scale, bias, y, columns, epsilon, WIDTH: tl.constexpr):
    within = tl.arange(0, WIDTH)
    offsets, inside = tl.program_id(0).to(tl.int64) * columns + within, within < columns
    row = tl.load(x + offsets, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, row - tl.sum(row, 0) / columns, 0.0)
    normal = centred * tl.rsqrt(tl.sum(centred * centred, 0) / columns + epsilon)
    factor = tl.load(scale + within, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(bias + within, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + offsets, (normal * factor + shift).to(y.dtype.element_ty), mask=inside)


def layer_norm(x: Any, weights: Any) -> Any:
    """Normalises over the last dim, with `weights` scale and bias."""
    y, columns = torch.empty_like(x), x.shape[-1]
    width = triton.next_power_of_2(columns)
    warps = min(16, max(4, width // 512))
    _layer_norm[(x.numel() // columns,)](x, *weights, y, columns, 1e-5, WIDTH=width, num_warps=warps)
    return y


@triton.jit
def _gelu(x, y, count, SIZE: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    inside = offsets < count
    value = tl.load(x + offsets, mask=inside).to(tl.float32)
    result = 0.5 * value * (1 + tl.erf(value * 0.7071067811865476))
    tl.store(y + offsets, result.to(y.dtype.element_ty), mask=inside)


@triton.jit
def _add(a, b, y, count, SIZE: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    inside = offsets < count
    tl.store(y + offsets, tl.load(a + offsets, mask=inside) + tl.load(b + offsets, mask=inside), mask=inside)


def _elementwise(kernel: Any) -> Callable[..., Any]:
    def run(*inputs: Any, weights: Any = ()) -> Any:
        """Launches the kernel on all elements."""
        y = torch.empty_like(inputs[0])
        kernel[(triton.cdiv(y.numel(), 1024),)](*inputs, y, y.numel(), SIZE=1024)
        return y

    return run


KERNELS: dict[str, Callable[..., Any]] = {
    "matmul": matmul,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "gelu": _elementwise(_gelu),
    "add": _elementwise(_add),
}
