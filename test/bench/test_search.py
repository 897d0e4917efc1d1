"""Sampled schedules: the space, kernels that are compiled with them, and the table. Nothing is timed."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from bench import models
from bench.engines import mlc_kernel
from bench.kernels.__main__ import cases, select
from bench.kernels.case import KernelCase
from bench.kernels.measure import write_model
from bench.measure import RoundBudget
from bench.search import candidate, search, tables
from bench.search.__main__ import KERNELS, main
from bench.search.space import SchedulePoint, Shape, is_valid, sample
from mlc.passes.schedule.cpu.contraction import ContractionSchedule

SHAPE = Shape(columns=64, rows=24, outer=(4,), reductions=(2, 3, 64), unrolls=True)
CHOICE = SchedulePoint(
    rows=6,
    width=32,
    step=4,
    reduction_order=(0, 1),
    columns_first=True,
    row_block=1,
    column_block=1,
    outer_last=False,
    parallel="outer",
)
SMALL = KernelCase(
    "convolution",
    "small",
    "Conv",
    {"x": (1, 32, 9, 9)},
    (1, 64, 9, 9),
    "fma",
    weights={"w": (64, 32, 3, 3), "b": (64,)},
    attributes={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    activation="Relu",
    flop=2 * 64 * 81 * 32 * 9,
)
DIRECT = ("disable-pass=graph-winograd",)
ONE_CALL = RoundBudget(warm_up=0.0, seconds=0.0, calls=1, limit=1.0)
SETTINGS = search.SearchSettings(
    samples=6,
    seed=0,
    cpus=[0],
    jobs=2,
    options=("no-cache", *DIRECT),
    budget=ONE_CALL,
    rounds=3,
    final_budget=ONE_CALL,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(SMALL, tmp_path_factory.mktemp("model"))


def test_samples_are_valid_different_and_the_same_for_a_seed() -> None:
    found: list[SchedulePoint] = sample(SHAPE, lanes=16, registers=32, count=500, seed=3)
    assert len(found) == len(set(found)) == 500
    assert found == sample(SHAPE, 16, 32, 500, 3) != sample(SHAPE, 16, 32, 500, 4)
    assert all(is_valid(choice, SHAPE, 16, 32) for choice in found)
    fields = {name: {getattr(choice, name) for choice in found} for name in found[0].as_dict()}
    assert len(fields["rows"]) > 10 and fields["parallel"] == {"outer", "columns", "rows"}
    assert fields["reduction_order"] == {(0, 1), (1, 0)} and fields["step"] == {1, 2, 4, 8, 16}


def test_a_small_space_is_sampled_until_it_is_exhausted() -> None:
    assert len(sample(Shape(16, 1, (), (3,), unrolls=False), 16, 32, 500, 0)) < 10


@pytest.mark.parametrize(
    ("fields", "sound"),
    [
        ({}, True),
        ({"rows": 15}, True),
        ({"rows": 16}, False),  # 32 accumulators leave no register
        ({"row_block": 2}, True),
        ({"row_block": 4}, False),  # one block is no block
        ({"rows": 5, "row_block": 2}, False),  # 10 does not divide 24
        ({"parallel": "columns"}, True),
        ({"width": 48, "parallel": "columns"}, False),
        ({"outer_last": True}, False),  # threads share these loops, which are outermost
        ({"outer_last": True, "parallel": "rows"}, True),
    ],
)
def test_what_a_schedule_may_be(fields: dict[str, Any], sound: bool) -> None:
    assert is_valid(replace(CHOICE, **fields), SHAPE, lanes=16, registers=32) is sound


def test_choices_survive_json() -> None:
    assert SchedulePoint.from_dict({**CHOICE.as_dict(), "reduction_order": [0, 1]}) == CHOICE


def test_the_default_is_one_of_the_choices(path: Path) -> None:
    kernel = search.kernel_of(path, DIRECT)
    described = candidate.describe({"text": kernel.text})
    default = SchedulePoint.from_dict(described["default"])
    chosen = candidate._lower(kernel.text, partial(candidate.Chosen, choice=default))
    assert chosen == candidate._lower(kernel.text, ContractionSchedule)
    other = replace(default, rows=max(1, default.rows - 1))
    assert chosen != candidate._lower(kernel.text, partial(candidate.Chosen, choice=other))


def test_a_candidate_computes_the_same(path: Path) -> None:
    kernel = search.kernel_of(path, DIRECT)
    described = candidate.describe({"text": kernel.text})
    default = SchedulePoint.from_dict(described["default"])
    kernels = mlc_kernel.load(path, 1, ("no-cache", *DIRECT))
    kernels.run_whole(models.inputs("small", 0, path.parent))
    expected = kernels.outputs[0].view(np.float32).copy()
    changes: list[dict[str, Any]] = [
        {"rows": 4, "columns_first": False},
        {"rows": 3, "parallel": "rows", "outer_last": True, "step": 2},
        {"reduction_order": tuple(reversed(default.reduction_order))},
    ]
    for fields in changes:
        payload = {"text": kernel.text, "target": kernel.target}
        choice = replace(default, **fields).as_dict()
        data = candidate.compile_candidate({**payload, "choice": choice})["object"]
        assert data != kernels.objects[kernel.name]
        kernels.outputs[0][:] = 0
        kernels.run_whole(models.inputs("small", 0, path.parent), {kernel.name: data})
        np.testing.assert_allclose(kernels.outputs[0].view(np.float32), expected, rtol=1e-4, atol=1e-5)


def test_a_model_without_one_kernel_is_refused(tmp_path: Path) -> None:
    only_moves = KernelCase(
        "memory", "transpose", "Transpose", {"x": (4, 5)}, (5, 4), "copy", attributes={"perm": [1, 0]}
    )
    found = search.search(write_model(only_moves, tmp_path), SETTINGS)
    assert found["error"].startswith("0 kernels compute, not 1")


def test_passes_can_be_left_out(path: Path) -> None:
    # Without layouts another kernel computes the convolution.
    kernel = search.kernel_of(path, (*DIRECT, "disable-pass=graph-assign-layouts"))
    assert kernel.text != search.kernel_of(path, DIRECT).text
    with pytest.raises(click.UsageError, match="no-such-pass"):
        search.kernel_of(path, ("disable-pass=no-such-pass",))


def test_crashes_and_wrong_results_do_not_end_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlc.codegen.errors import CodegenError

    def fake_time(
        pool: Any, path: Any, kernel: Any, objects: list[bytes], settings: Any, budget: Any
    ) -> list[dict[str, Any]]:
        if b"crash" in objects:
            raise CodegenError("worker died")
        ms = {b"fast": 1.0, b"slow": 4.0}
        times = [{"median_ms": ms[data]} if data in ms else {"error": "wrong results"} for data in objects]
        return [{"median_ms": 2.0}, *times]

    monkeypatch.setattr(search, "_time", fake_time)
    kernel = search.SearchedKernel("k", "", "")
    choices = [replace(CHOICE, rows=rows) for rows in range(1, 6)]
    objects: list[bytes | str] = [b"slow", b"crash", b"fast", b"wrong", "no object"]
    found = search._measure(Path("m.onnx"), kernel, choices, objects, SETTINGS)
    assert (found["timed"], found["slower_than_default"]) == (2, 1)
    assert sorted(found["errors"]) == ["no object", "worker died", "wrong results"]
    assert found["best"] == choices[2].as_dict()
    assert found["default_over_best"] == {"median": 2.0, "low": 2.0, "high": 2.0}


def row(name: str, ratio: float) -> dict[str, Any]:
    return {
        "name": name,
        "threads": 1,
        "sampled": 500,
        "timed": 490,
        "whole_space": name == "far",
        "slower_than_default": 441,
        "errors": ["no"] * 10,
        "default_ms": ratio,
        "best_ms": 1.0,
        "default_over_best": {"median": ratio, "low": ratio, "high": ratio},
        "default": CHOICE.as_dict(),
        "best": replace(CHOICE, row_block=2, reduction_order=(1, 0), columns_first=False).as_dict(),
    }


def test_the_table_counts_defaults_near_the_best() -> None:
    machine = {"processor": "P", "cpus": 2, "load_average": 0.0}
    rows = [row("near", 1.05), row("far", 1.5), {"name": "odd", "threads": 1, "error": "no\nkernel"}]
    text = tables.markdown({"machine": machine, "seed": 0, "rows": rows})
    assert "| near | 1 | 500, 10 failed | 90% | 1.05 | 1.00 | 1.05 (1.05 to 1.05) |" in text
    assert "| far | 1 | 500, all there are, 10 failed |" in text
    assert "| 6x32, k 4, columns outer, threads: outer |" in text
    assert "| 6x32, k 4, blocks 2x1, rows outer, reductions 1 0, threads: outer |" in text
    assert "within 10% of the best sampled schedule for 1 of 2 kernels" in text
    assert "- odd: no kernel" in text


def test_the_listed_kernels_exist() -> None:
    assert {case.name for case in select(cases(1 << 20), ",".join(KERNELS))} == set(KERNELS)


@pytest.mark.parametrize(
    ("flags", "message"),
    [(["--threads", "0"], "more threads than CPUs"), (["--disable-pass", "nope"], "hold no pass 'nope'")],
)
def test_wrong_arguments_are_usage_errors(
    flags: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["search", *flags])
    assert main() == 2
    error = capsys.readouterr().err
    assert error.startswith("search: ") and message in error


@pytest.mark.slow
def test_a_search(path: Path) -> None:
    found = search.search(path, SETTINGS)
    assert found["timed"] >= 1 and found["default_over_best"]["median"] > 0
