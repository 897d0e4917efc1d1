"""mlc.Schedule: recording, printing, replaying, sampling, and what stays when a step fails."""

from __future__ import annotations

import pytest

import mlc
from mlc.bindings import ir, parse_module
from mlc.dialects import create_context
from mlc.dialects.tloop.schedule import PRIMITIVES
from mlc.passes.schedule.api.apply_schedules import ApplySchedules
from mlc.passes.schedule.api.handles import ScheduleError
from mlc.passes.schedule.api.primitives import STEPS
from mlc.passes.schedule.api.schedule import Schedule

PRODUCT = """
func.func private @product(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %r: memref<64x48xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 32 {
        %0 = affine.load %a[%i, %k] : memref<64x32xf32>
        %1 = affine.load %b[%k, %j] : memref<32x48xf32>
        %2 = affine.load %r[%i, %j] : memref<64x48xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %r[%i, %j] {tloop.block = "c"} : memref<64x48xf32>
      } {tloop.name = "k"}
    } {tloop.name = "j"}
  } {tloop.name = "i"}
  return
}
"""


def tile_product() -> Schedule:
    schedule = Schedule(PRODUCT)
    block = schedule.get_block("c")
    i, j, k = schedule.get_loops(block)
    outer, inner = schedule.split(j, [None, 16], tail="exact")
    schedule.reorder(i, outer, k, inner)
    schedule.vectorize(inner)
    schedule.unroll(k, 4)
    schedule.annotate(outer, "my.note", 7)
    schedule.parallel(i)
    return schedule


def apply_schedules(text: str) -> str:
    """The module's kernel after its schedules."""
    with create_context() as context, ir.Location.unknown():
        module = parse_module(text, context)
        ApplySchedules().run(module.operation)
        return str(module.body.operations[0].operation.get_asm(use_local_scope=True))


def test_exported() -> None:
    assert mlc.Schedule is Schedule


def test_steps_apply_at_once() -> None:
    schedule = tile_product()
    assert "affine.parallel" in schedule.kernel
    assert "affine.vector_load" in schedule.kernel
    assert "my.note = 7" in schedule.kernel


def test_prints_as_ir_that_does_the_same() -> None:
    schedule = tile_product()
    text = str(schedule)
    assert text.startswith('"tloop.schedule"')
    scheduled = apply_schedules(PRODUCT + text)
    tags = {word for word in schedule.kernel.split() if word.startswith("{tloop.loop.")}
    assert tags
    assert scheduled.count("affine.vector_load") == schedule.kernel.count("affine.vector_load") == 8


def test_replays_on_another_kernel() -> None:
    other = PRODUCT.replace("@product", "@other").replace("64", "128")
    schedule = Schedule(other)
    schedule.replay(str(tile_product()))
    assert "affine.parallel (%arg3) = (0) to (128)" in schedule.kernel
    assert str(schedule).replace("@other", "@product") == str(tile_product())


def test_a_failed_step_changes_nothing() -> None:
    schedule = Schedule(PRODUCT)
    _, _, k = schedule.get_loops(schedule.get_block("c"))
    kernel, text = schedule.kernel, str(schedule)
    with pytest.raises(ScheduleError, match=r"tloop.parallel does not apply: loop k carries a dependence"):
        schedule.parallel(k)
    assert (schedule.kernel, str(schedule)) == (kernel, text)
    schedule.unroll(k, 2)
    assert schedule.kernel.count("affine.store") == 2


def test_invalid_steps() -> None:
    schedule = Schedule(PRODUCT)
    block = schedule.get_block("c")
    i, _, _ = schedule.get_loops(block)
    with pytest.raises(ScheduleError, match=r"axis must be one of block\.x"):
        schedule.bind(i, "warp.x")
    with pytest.raises(ScheduleError, match="the kernel has no block 'd'; it has: c"):
        schedule.get_block("d")
    with pytest.raises(ScheduleError, match=r"expected one tloop\.schedule"):
        schedule.replay(PRODUCT)


def test_kernels_are_named() -> None:
    two = PRODUCT + PRODUCT.replace("@product", "@other")
    assert "@other" in Schedule(two, "other").kernel
    with pytest.raises(ScheduleError, match="there are 2 kernels; name one of: product, other"):
        Schedule(two)
    with pytest.raises(ScheduleError, match="there is no kernel @none; there are: product, other"):
        Schedule(two, "none")


def sample(seed: int) -> Schedule:
    schedule = Schedule(PRODUCT, seed=seed)
    i, j, _ = schedule.get_loops(schedule.get_block("c"))
    schedule.split(i, schedule.sample_perfect_tile(i, 3, largest=8), tail="exact")
    schedule.split(j, [None, schedule.sample_categorical([4, 8, 16])])
    return schedule


def test_samples_are_decisions() -> None:
    texts = [str(sample(seed)) for seed in range(6)]
    assert str(sample(3)) == texts[3]
    assert len(set(texts)) > 1
    assert all(text.count("decision") == 2 for text in texts)
    again = Schedule(PRODUCT, seed=99)
    again.replay(texts[3])
    assert (str(again), again.kernel) == (texts[3], sample(3).kernel)


def test_sampled_factors_fit() -> None:
    for seed in range(20):
        schedule = Schedule(PRODUCT, seed=seed)
        i, _, _ = schedule.get_loops(schedule.get_block("c"))
        factors = [factor.chosen for factor in schedule.sample_perfect_tile(i, 3, largest=4)]
        assert factors[0] * factors[1] * factors[2] == 64
        assert factors[2] <= 4


def test_every_primitive_has_an_applier_and_a_method() -> None:
    names = {primitive.removeprefix("tloop.") for primitive in PRIMITIVES}
    assert set(STEPS) == PRIMITIVES
    assert all(callable(getattr(Schedule, name, None)) for name in names)
