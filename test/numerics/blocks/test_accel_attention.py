"""Kernels of attention as programs of thread blocks: on the CPU, and as threads in the emulator.

Compared with NumPy in f64. Tolerance for f32: |a - b| <= 1e-5 * max(1, max |b|).

Narrow elements: rounding to nearest a number of p bits is wrong by u = 2^-p of it at most (bf16 has 8 bits,
the first one of which is not stored, f16 11). Operands are exact, products of them too, and sums are f32.
Weights are rounded when they are multiplied with values, but the total that divides is that of the others:
with weights w that sum to 1 and values x, the result r = sum(w x) becomes r' = sum(w (1 + e) x), |e| <= u, so
|r' - r| <= u s where s = sum(w |x|). It is rounded once more: |r'' - r| <= u s + u |r'|, which is at most
u |r| + u (1 + u) s, and f32's error. Since |r| <= s, that is 2^-7 s (1 + 2^-9) for bf16 if all values have
one sign, and half of it where they cancel. f16 has no 11 bits below 2^-14: weights there are wrong by up to
2^-25 of the row's greatest weight, which is part of the total: 2^-25 of the sum of all values' magnitudes.
tf32: see `tolerance`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import accel_gpu
import accel_programs
import ml_dtypes
import numpy as np
import pytest

from mlc.bindings import ir
from mlc.codegen.host_target import host_target
from mlc.dialects import create_context
from mlc.passes.accel.attention import sizes
from mlc.pipelines.driver import run_pipeline

RUNS: dict[str, Callable[..., None]] = {"cpu": accel_programs.run, "sm_80": accel_gpu.run}
TYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
LOWEST = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class Case:
    """`mask` is a shape that broadcasts to the scores, of values to add or, `chosen`, of booleans.
    Operands and result have heads first, or, `rows_first`, queries and keys before them."""

    queries: int
    keys: int
    width: int
    features: int
    element: str = "f32"
    batch: int = 1
    heads: int = 1
    groups: int = 0
    mask: tuple[int, ...] = ()
    chosen: bool = False
    fill: float | None = None
    causal: bool = False
    safe: bool = False
    scale: float = 0.25
    rows_first: bool = False
    precision: str = "exact"

    def shapes(self) -> dict[str, list[int]]:
        """Shapes of q, k, v and the result, heads first."""
        groups = self.groups or self.heads
        return {
            "q": [self.batch, self.heads, self.queries, self.width],
            "k": [self.batch, groups, self.keys, self.width],
            "v": [self.batch, groups, self.keys, self.features],
            "r": [self.batch, self.heads, self.queries, self.features],
        }


def tensor(shape: list[int] | tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def in_memory(case: Case, shape: list[int]) -> list[int]:
    return [shape[0], shape[2], shape[1], shape[3]] if case.rows_first else shape


def transpose_op(name: str, operand: str, source: str, result: str) -> str:
    order = "permutation = array<i64: 0, 2, 1, 3>"
    return f'%{name} = "graph.transpose"(%{operand}) {{{order}}} : ({source}) -> {result}\n'


def text(case: Case, target: str) -> str:
    """The kernel `@k(q, k, v, [mask])`."""
    shapes = case.shapes()
    types = {name: tensor(shape, case.element) for name, shape in shapes.items()}
    outside = {name: tensor(in_memory(case, shape), case.element) for name, shape in shapes.items()}
    mask = [tensor(case.mask, "i1" if case.chosen else case.element)] if case.mask else []
    operands = ["%q", "%k", "%v", *(["%mask"] if mask else [])]
    arguments = ", ".join(
        f"{name}_in: {value_type}" if case.rows_first and name != "%mask" else f"{name}: {value_type}"
        for name, value_type in zip(operands, [*(outside[operand] for operand in "qkv"), *mask], strict=True)
    )
    body = "".join(
        transpose_op(operand, f"{operand}_in", outside[operand], types[operand]) for operand in "qkv"
    )
    given = ", ".join([*(types[operand] for operand in "qkv"), *mask])
    attributes = [f"scale = {case.scale!r} : f64", f"causal = {str(case.causal).lower()}"]
    attributes += [f"safe = {str(case.safe).lower()}"]
    attributes += [f'accel.precision = "{case.precision}"'] if case.precision != "exact" else []
    attributes += [f"fill = {case.fill!r} : f64"] if case.fill is not None else []
    return f"""module attributes {{tloop.target = "{target}"}} {{
      func.func private @k({arguments}) -> {outside["r"]} attributes {{tloop.kernel}} {{
        {body if case.rows_first else ""}
        %r = "graph.attention"({", ".join(operands)}) {{{", ".join(attributes)}}} : ({given}) -> {types["r"]}
        {transpose_op("t", "r", types["r"], outside["r"]) if case.rows_first else ""}
        return {"%t" if case.rows_first else "%r"} : {outside["r"]}
      }} }}"""


def program(case: Case, target: str) -> str:
    """The kernel as a launch of thread blocks, of the sizes that are for `target`."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text(case, target))
        run_pipeline("builtin.module(accel-from-attention)", module)
        return str(module).replace(target, str(host_target()))


def inputs_of(case: Case) -> dict[str, np.ndarray]:
    """Normally distributed values; about half of a mask, the first ones among them."""
    rng, found = np.random.default_rng(0), {}
    for name, shape in case.shapes().items():
        if name != "r":
            found[name] = rng.normal(size=shape).astype(TYPES[case.element])
    if case.mask:
        mask = rng.normal(size=case.mask)
        found["mask"] = mask > 0 if case.chosen else mask.astype(TYPES[case.element])
        if case.chosen:
            found["mask"][..., 0] = True
    return found


def scores_of(case: Case, q: np.ndarray, k: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    scores = case.scale * (q @ k.swapaxes(-1, -2))
    if mask is not None and case.chosen:
        scores = np.where(mask, scores, -np.inf if case.fill is None else case.fill)
    elif mask is not None:
        scores = scores + mask
    if case.causal:
        later = np.tri(case.queries, case.keys, case.keys - case.queries) == 0
        # As in f32, sums with the lowest value forget what was added.
        scores = np.where(later, (scores + LOWEST).astype(np.float32).astype(np.float64), scores)
    return scores


def wanted_of(case: Case, inputs: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The result in f64, and that of the values' magnitudes."""
    repeats = case.heads // (case.groups or case.heads)
    q, k, v = (inputs[name].astype(np.float64) for name in "qkv")
    k, v = k.repeat(repeats, 1), v.repeat(repeats, 1)
    mask = inputs.get("mask")
    mask = mask if mask is None or case.chosen else mask.astype(np.float64)
    with np.errstate(invalid="ignore"):
        scores = scores_of(case, q, k, mask)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
        if case.safe:
            weights = np.where(np.isnan(weights), 0, weights)
        return weights @ v, weights @ np.abs(v)


def run(case: Case, where: str, inputs: dict[str, np.ndarray], target: str = "") -> np.ndarray:
    """The result, heads first."""
    given = [
        np.ascontiguousarray(array.swapaxes(1, 2)) if case.rows_first and name != "mask" else array
        for name, array in inputs.items()
    ]
    found = np.full(in_memory(case, case.shapes()["r"]), np.nan, TYPES[case.element])
    run_on = RUNS.get(where) or functools.partial(accel_gpu.run, arch=where)
    run_on(program(case, target or str(host_target())), *given, found)
    return found.swapaxes(1, 2) if case.rows_first else found


def tolerance(case: Case, inputs: dict[str, np.ndarray], wanted: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Returns the tolerance. Type tf32 rounds both factors of a score to 2^-11: with scores that differ by
    e, weights differ by exp(2e); then weights and values are rounded."""
    if case.element != "f32":
        unit = {"f16": 2.0**-11, "bf16": 2.0**-8}[case.element]
        values = inputs["v"].astype(np.float64)
        subnormal = 2.0**-25 * np.abs(values).sum(-2).max() if case.element == "f16" else 0
        return unit * np.abs(wanted) + unit * (1 + unit) * size + subnormal + 1e-5
    if case.precision == "tf32":
        q, k = (np.abs(inputs[name].astype(np.float64)) for name in "qk")
        error = 2.0**-10 * case.scale * (q @ k.swapaxes(-1, -2)).max()
        return (np.expm1(2 * error) + 2.0**-9) * size
    return np.full_like(wanted, 1e-5 * max(1, np.abs(wanted).max()))


def check(case: Case, where: str, target: str = "") -> None:
    inputs = inputs_of(case)
    wanted, size = wanted_of(case, inputs)
    found = run(case, where, inputs, target).astype(np.float64)
    assert np.all(np.abs(found - wanted) <= tolerance(case, inputs, wanted, size))


CASES = {
    "less than a tile": Case(5, 3, 4, 6),
    "one tile": Case(16, 16, 16, 16),
    "several blocks of keys": Case(20, 150, 16, 16),
    "several tiles of queries": Case(70, 20, 16, 16, batch=2),
    "odd widths": Case(17, 20, 17, 33),
    "wide heads": Case(18, 20, 80, 128),
    "widest heads": Case(17, 20, 256, 256),
    "rows first": Case(20, 20, 24, 16, batch=2, heads=2, rows_first=True),
    "grouped heads": Case(20, 20, 16, 16, heads=4, groups=2),
    "all heads with one": Case(20, 20, 16, 24, heads=3, groups=1, rows_first=True),
    "mask per key": Case(20, 70, 16, 16, batch=2, mask=(2, 1, 1, 70)),
    "mask per key without other dims": Case(20, 70, 16, 16, batch=2, mask=(70,)),
    "mask per query": Case(20, 70, 16, 16, heads=2, mask=(2, 20, 1)),
    "mask of all scores": Case(20, 70, 16, 16, heads=2, mask=(1, 2, 20, 70)),
    "chosen keys": Case(20, 70, 16, 16, batch=2, mask=(2, 1, 1, 70), chosen=True),
    "chosen scores with a fill": Case(20, 70, 16, 16, mask=(20, 70), chosen=True, fill=0.5),
    "causal": Case(70, 70, 16, 16, causal=True),
    "causal with more keys": Case(20, 150, 16, 16, causal=True),
    "causal with more queries": Case(90, 20, 16, 16, causal=True),
    "causal and masked": Case(20, 70, 16, 16, mask=(1, 1, 1, 70), causal=True),
    "negative scale": Case(20, 70, 16, 16, scale=-0.25),
    "bf16": Case(70, 150, 64, 64, "bf16", heads=2),
    "bf16, wide": Case(70, 70, 128, 128, "bf16", causal=True),
    "bf16, widest": Case(20, 40, 256, 256, "bf16"),
    "bf16 of odd extents": Case(37, 50, 17, 33, "bf16", mask=(37, 50), rows_first=True),
    "bf16, grouped, causal": Case(70, 70, 32, 32, "bf16", heads=4, groups=2, causal=True, rows_first=True),
    "f16": Case(70, 150, 64, 32, "f16", mask=(150,)),
    "tf32": Case(33, 70, 64, 64, precision="tf32", causal=True),
    "tf32, wide": Case(20, 20, 128, 16, precision="tf32"),
}  # fmt: skip


SLOW = ("widest heads",)


@pytest.mark.parametrize("where", RUNS)
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in CASES])
def test_attention(name: str, where: str) -> None:
    check(CASES[name], where)


@pytest.mark.parametrize("where", ["gfx942", "sm_90a"])
@pytest.mark.parametrize("name", ["bf16 of odd extents", "bf16, grouped, causal", "bf16, wide", "tf32, wide"])
def test_matrix_instructions_of_others(name: str, where: str) -> None:
    """Instructions with other layouts of operands: those of wavefronts, and of groups of warps."""
    check(CASES[name], where)


# Tiles for groups of warps, whose softmax runs beside products: three blocks of keys at least have a loop.
GROUPS = {
    "several blocks of keys": Case(70, 300, 64, 64, "bf16", heads=2),
    "causal": Case(200, 400, 64, 64, "bf16", causal=True),
    "causal, as many keys": Case(300, 300, 128, 128, "bf16", causal=True),
    "causal, grouped, f16": Case(70, 450, 64, 128, "f16", heads=2, groups=1, causal=True, rows_first=True),
    "causal with more queries": Case(200, 140, 64, 64, "bf16", causal=True),
    "mask of all scores": Case(70, 300, 64, 64, "bf16", mask=(70, 300)),
    "chosen keys, causal": Case(64, 200, 64, 64, "bf16", mask=(200,), chosen=True, causal=True),
    "other widths": Case(64, 300, 24, 40, "bf16"),
    "long heads": Case(40, 100, 256, 256, "bf16"),
    "blocks that copy for each other": Case(100, 300, 128, 128, "bf16", heads=2, groups=1),
    "long heads that are copied together": Case(200, 70, 256, 128, "f16", rows_first=True),
    "causal and masked, copied together": Case(128, 200, 128, 128, "bf16", mask=(200,), causal=True),
    "three tiles": Case(150, 200, 128, 128, "bf16"),
    "one block of keys": Case(64, 100, 64, 64, "bf16"),
    "rows without whole units": Case(64, 300, 20, 20, "bf16"),
}  # fmt: skip
FAST = ("causal",)


@pytest.mark.parametrize("where", ["cpu", "sm_90a"])
@pytest.mark.parametrize(
    "name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in GROUPS]
)
def test_groups_of_warps(name: str, where: str) -> None:
    check(GROUPS[name], where, "cuda:sm_90a")


@pytest.mark.parametrize(("name", "blocks"), [("blocks that copy for each other", 2), ("three tiles", 1)])
def test_clusters(name: str, blocks: int) -> None:
    """Pairs of tiles of queries meet the same keys, if there is an even number of them."""
    text = program(GROUPS[name], "cuda:sm_90a")
    assert ("cluster = array<i64: 2, 1>" in text) == (blocks == 2)


@pytest.mark.slow
def test_two_groups_of_warps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of 64 queries, as with many heads."""
    monkeypatch.setattr(sizes, "BUSY_THREAD_BLOCKS", 1)
    check(Case(200, 400, 64, 64, "bf16", causal=True), "sm_90a", "cuda:sm_90a")


@pytest.mark.parametrize("where", RUNS)
def test_tiles_of_many_queries(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Warps with 32 queries each, as where there are many heads."""
    monkeypatch.setattr(sizes, "BUSY_THREAD_BLOCKS", 1)
    check(Case(100, 100, 64, 64, "bf16", causal=True), where)


@pytest.mark.parametrize("where", RUNS)
@pytest.mark.parametrize("safe", [False, True])
def test_queries_without_any_key(where: str, safe: bool) -> None:
    """In the second of two batches no key is left, in the first one those of the first block are masked."""
    case = Case(20, 70, 16, 16, batch=2, mask=(2, 1, 1, 70), safe=safe)
    inputs = inputs_of(case)
    inputs["mask"][1] = -np.inf
    inputs["mask"][0, ..., :66] = -np.inf
    found, (wanted, _) = run(case, where, inputs), wanted_of(case, inputs)
    assert np.allclose(found, wanted, rtol=0, atol=1e-5, equal_nan=True)
    assert np.all(found[1] == 0) if safe else np.all(np.isnan(found[1]))


@pytest.mark.parametrize("where", RUNS)
def test_queries_whose_scores_are_all_lowest(where: str) -> None:
    """All keys then have equal weights, as without an online softmax."""
    case = Case(20, 70, 16, 16, batch=2, mask=(2, 1, 1, 70), chosen=True, fill=LOWEST)
    inputs = inputs_of(case)
    inputs["mask"][1] = False
    found, (wanted, _) = run(case, where, inputs), wanted_of(case, inputs)
    assert np.allclose(found, wanted, rtol=0, atol=1e-5)
    assert np.allclose(found[1], inputs["v"][1].mean(-2, keepdims=True), rtol=0, atol=1e-5)


@pytest.mark.parametrize("where", RUNS)
def test_nan_and_infinite_scores(where: str) -> None:
    """A query's NaN is its own; scores that are infinite make NaN of a softmax."""
    case = Case(20, 70, 16, 16)
    inputs = inputs_of(case)
    inputs["q"][0, 0, 3, 5] = np.nan
    inputs["q"][0, 0, 4, 5] = np.inf
    found, (wanted, _) = run(case, where, inputs), wanted_of(case, inputs)
    assert np.isnan(wanted[0, 0, 3:5]).all() and np.isfinite(np.delete(wanted, [3, 4], 2)).all()
    assert np.allclose(found, wanted, rtol=0, atol=1e-5, equal_nan=True)
