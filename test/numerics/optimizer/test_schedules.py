"""Scheduled kernels compute what they did before: primitives on loops, chosen and combined at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

from mlc.codegen.host_target import host_target
from mlc.compiler.kernel_job import compile_object
from mlc.passes.schedule.api.handles import ScheduleError
from mlc.passes.schedule.api.schedule import Schedule
from mlc.runtime import Image, call_entry

# Rows, columns and terms of the product: no factor divides all of them.
M, N, K = 30, 22, 26

PRODUCT = f"""
func.func private @k(%x: tensor<{M}x{K}xf32>, %y: tensor<{K}x{N}xf32>) -> tensor<{M}x{N}xf32>
    attributes {{tloop.kernel}} {{
  %zero = arith.constant 0.0 : f32
  %a = bufferization.to_buffer %x read_only : tensor<{M}x{K}xf32> to memref<{M}x{K}xf32>
  %b = bufferization.to_buffer %y read_only : tensor<{K}x{N}xf32> to memref<{K}x{N}xf32>
  %r = memref.alloc() : memref<{M}x{N}xf32>
  affine.for %i = 0 to {M} {{
    affine.for %j = 0 to {N} {{
      affine.store %zero, %r[%i, %j] {{tloop.block = "init"}} : memref<{M}x{N}xf32>
      affine.for %k = 0 to {K} {{
        %0 = affine.load %a[%i, %k] : memref<{M}x{K}xf32>
        %1 = affine.load %b[%k, %j] : memref<{K}x{N}xf32>
        %2 = affine.load %r[%i, %j] : memref<{M}x{N}xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {{tloop.block = "c"}} : memref<{M}x{N}xf32>
      }} {{tloop.name = "k"}}
    }} {{tloop.name = "j"}}
  }} {{tloop.name = "i"}}
  %t = bufferization.to_tensor %r restrict writable : memref<{M}x{N}xf32> to tensor<{M}x{N}xf32>
  return %t : tensor<{M}x{N}xf32>
}}
"""

WINDOW = """
func.func private @k(%x: tensor<18x8xf32>, %unused: tensor<1xf32>) -> tensor<16x8xf32>
    attributes {tloop.kernel} {
  %a = bufferization.to_buffer %x read_only : tensor<18x8xf32> to memref<18x8xf32>
  %t = memref.alloc() : memref<18x8xf32>
  %r = memref.alloc() : memref<16x8xf32>
  affine.for %i = 0 to 18 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %a[%i, %j] : memref<18x8xf32>
      %1 = arith.mulf %0, %0 : f32
      affine.store %1, %t[%i, %j] {tloop.block = "p"} : memref<18x8xf32>
    } {tloop.name = "pj"}
  } {tloop.name = "pi"}
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %t[%i, %j] : memref<18x8xf32>
      %1 = affine.load %t[%i + 1, %j] : memref<18x8xf32>
      %2 = affine.load %t[%i + 2, %j] : memref<18x8xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<16x8xf32>
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  %o = bufferization.to_tensor %r restrict writable : memref<16x8xf32> to tensor<16x8xf32>
  return %o : tensor<16x8xf32>
}
"""


def run(text: str, *inputs: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Compiles a module with the kernel @k and calls it."""
    target = host_target()
    module = f'module attributes {{tloop.target = "{target}"}} {{ {text} }}'
    job = {"text": module, "pipeline": "cpu-kernel", "target": str(target), "optimize": 1}
    result = np.full(shape, np.nan, np.float32)
    buffers = [array.view(np.uint8).reshape(-1) for array in (*inputs, result)]
    call_entry(Image([compile_object(job)["object"]]), "k", buffers, [], 2)
    return result


def check_product(schedule: Schedule) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((M, K), (K, N)))
    found = run(PRODUCT + str(schedule), a, b, shape=(M, N))
    np.testing.assert_allclose(found, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


def check_window(schedule: Schedule) -> None:
    x = np.random.default_rng(0).standard_normal((18, 8)).astype(np.float32)
    found = run(WINDOW + str(schedule), x, np.zeros(1, np.float32), shape=(16, 8))
    squares = x * x
    assert np.array_equal(found, squares[:16] + squares[1:17] + squares[2:])


def test_tiled_product() -> None:
    """Tiles with guards, a copied tile of b, an accumulator row, vectors, threads."""
    s = Schedule(PRODUCT)
    c = s.get_block("c")
    i, j, k = s.get_loops(c)
    s.decompose_reduction(s.get_block("init"), i)
    s.reorder(j, i, k)
    jo, ji = s.split(j, [None, 8], tail="peel")
    ko, ki = s.split(k, [None, 8])
    io, ii = s.split(i, [None, 7])
    s.reorder(jo, io, ko, ii, ki, ji)
    s.vectorize(ji)
    s.parallel(jo)
    check_product(s)


def test_cached_product() -> None:
    s = Schedule(PRODUCT)
    c = s.get_block("c")
    i, j, k = s.get_loops(c)
    s.decompose_reduction(s.get_block("init"), i)
    jo, ji = s.split(j, [None, 4])
    ko, ki = s.split(k, [None, 13], tail="exact")
    s.reorder(jo, ko, i, ji, ki)
    s.cache_read(c, ko, 1, "tile")
    s.cache_write(c, jo, "column")
    s.prefetch(c, i, 0, 1)
    s.unroll(ki, 2)
    check_product(s)


def test_fused_product() -> None:
    s = Schedule(PRODUCT)
    i, j, k = s.get_loops(s.get_block("c"))
    s.fuse(i, j)
    s.split(k, [None, 5], tail="peel")
    check_product(s)


@pytest.mark.parametrize("rolling", [False, True])
@pytest.mark.parametrize("factor", [1, 4, 5])
def test_window(rolling: bool, factor: int) -> None:
    """The producer at each row, or at each tile of rows: with and without a rolling buffer."""
    s = Schedule(WINDOW)
    i, _ = s.get_loops(s.get_block("c"))
    if factor > 1:
        i, _ = s.split(i, [None, factor])
    s.compute_at(s.get_block("p"), i, rolling=rolling)
    check_window(s)


def test_inlined_window() -> None:
    s = Schedule(WINDOW)
    s.compute_inline(s.get_block("p"))
    check_window(s)


def _split(s: Schedule, loops: list, rng: random.Random) -> list:
    at = rng.randrange(len(loops))
    made = s.split(loops[at], [None, rng.choice([2, 3, 4, 7])], tail=rng.choice(["guard", "peel"]))
    return [*loops[:at], *made, *loops[at + 1 :]]


def _fuse(s: Schedule, loops: list, rng: random.Random) -> list:
    at = rng.randrange(len(loops) - 1)
    return [*loops[:at], s.fuse(*loops[at : at + 2]), *loops[at + 2 :]]


def _reorder(s: Schedule, loops: list, rng: random.Random) -> list:
    order = rng.sample(loops, len(loops))
    s.reorder(*order)
    return order


STEPS: list[Callable[[Schedule, list, random.Random], list]] = [_split, _fuse, _reorder]


@pytest.mark.parametrize("seed", range(6))
def test_random_steps(seed: int) -> None:
    """Steps that do not apply change nothing; what applies computes the product."""
    rng = random.Random(seed)
    s = Schedule(PRODUCT)
    loops = list(s.get_loops(s.get_block("c")))
    s.decompose_reduction(s.get_block("init"), loops[0])
    applied = 0
    for _ in range(8):
        try:
            loops = rng.choice(STEPS)(s, loops, rng)
            applied += 1
        except ScheduleError:
            continue
    with suppress(ScheduleError):
        s.vectorize(loops[-1])
    with suppress(ScheduleError):
        s.parallel(loops[0])
    assert applied
    check_product(s)
