"""The ablation: variants, counts, tables, and a whole run on a small model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.ablation import page, tables
from bench.ablation.__main__ import without_folders
from bench.ablation.counts import count_variants
from bench.ablation.variants import DEFAULT, UNFUSED, passes, variants
from bench.models.__main__ import build
from bench.models.catalogue import MODELS

MODEL = "mlp_small_b1"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("models")
    build(MODELS[MODEL], directory)
    return directory


def record(program: str, launches: int, ratio: float | None = None, **more: Any) -> dict[str, Any]:
    measured = {} if ratio is None else {"ratio": {"median": ratio, "low": ratio - 0.1, "high": ratio + 0.2}}
    return {
        "program": program,
        "kernels": launches,
        "launches": launches,
        "moved_bytes": launches * 10**6,
        "flops": 2 * 10**6,
        "arena_bytes": 110,
        "arena_lower_bound": 100,
        "unshared_bytes": 220,
        "strategy": "size",
        **measured,
        **more,
    }


@pytest.fixture
def measured() -> tables.Models:
    latency: dict[str, Any] = {"latency": {"median_ms": 2.0, "spread": 0.05}}
    one = {
        DEFAULT: record("a", 2, **latency),
        UNFUSED: record("u", 8, 2.0, **latency),
        "slower": record("b", 4, 1.5),
        "idle": record("a", 2),
        "needed": {"error": "pass 'x' failed"},
    }
    two = {**one, UNFUSED: record("u", 4), "slower": record("c", 4, 6.0), "needed": record("d", 2)}
    return {"one": one, "two": two}


def test_verifiers_are_no_passes_to_switch_off() -> None:
    assert {"cse", "graph-simplify", "graph-split-prepare"} <= set(passes())
    assert "graph-verify" not in passes()
    assert len(set(passes())) == len(passes())


def test_the_summary_takes_means_over_the_models_that_change(measured: tables.Models) -> None:
    text = tables.summary(measured, ["slower", "idle", "needed"])
    assert "| `slower` | 2 |  | 2.00 | 2.00 | 2.00 | 1.00 | 1.00 | 3.00 | two 6.00 |" in text
    assert "| `idle` | 0 |  |  |  |  |  |  |  |  |" in text
    assert "| `needed` | 2 | 1 | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 |  |  |" in text


def test_the_fusion_table_ends_with_means(measured: tables.Models) -> None:
    rows = tables.fusion(measured).splitlines()
    one = "| one | 2 | 8 | 2.00 | 8.00 | 4.00 | 2.00 ms (5%) | 2.00 ms (5%) | 2.00 (1.90 to 2.20) |"
    assert one in rows
    assert rows[-1] == "| geometric mean |  |  |  |  | 2.83 |  |  | 2.00 |"


def test_the_planner_table_shows_the_distance_to_the_bound(measured: tables.Models) -> None:
    assert "| one | 0.000 | 0.000 | 1.100 | size | 0.000 | 50% |" in tables.planner(measured)


def test_tables_have_rows_of_one_width(measured: tables.Models) -> None:
    seconds = {
        "one": {"stages": {"import": 1.0}, "passes": {"cse": 0.01}},
        "two": {"stages": {}, "passes": {}},
    }
    for text in (
        tables.summary(measured, ["slower"]),
        tables.details(measured, ["slower", "idle", "needed"]),
        tables.fusion(measured),
        tables.planner(measured),
        tables.optimizer(seconds, measured),
    ):
        for part in text.split("\n\n"):
            rows = [line for line in part.splitlines() if line.startswith("|")]
            assert len({row.count("|") for row in rows}) <= 1


def test_counts_of_variants(built: Path) -> None:
    found = count_variants(
        built / f"{MODEL}.onnx", variants(["graph-split-prepare", "graph-hoist-invariants"])
    )
    default = found[DEFAULT]
    assert default["kernels"] <= default["launches"] < found[UNFUSED]["launches"]
    assert found["graph-split-prepare"]["program"] != default["program"]
    assert found["graph-hoist-invariants"] == default
    assert default["moved_bytes"] > 4 * (784 * 128 + 128 * 10)
    assert default["arena_bytes"] >= default["arena_lower_bound"] > 0


def test_what_another_compiler_stored_is_not_kept(tmp_path: Path) -> None:
    fresh = {"compiler": "new", "models": {}, "optimizer": {}, "machine": {}}
    old = {**fresh, "models": {"one": {}}}
    page.store(tmp_path / "a.json", old)
    assert page.load(tmp_path / "a.json", fresh)["models"] == {"one": {}}
    assert page.load(tmp_path / "a.json", {**fresh, "compiler": "newer"})["models"] == {}
    assert page.load(tmp_path / "none.json", fresh) == fresh


def ablation(built: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.ablation", "--built", str(built), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_wrong_names_are_usage_errors(built: Path) -> None:
    done = ablation(built, "--passes", "graph-simplfy")
    assert done.returncode == 2
    assert "no pass to switch off named graph-simplfy; there are: graph-lower-objects" in done.stderr
    assert ablation(built, "--models", "resnet51").returncode == 2


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_stopped(built: Path, tmp_path: Path) -> None:
    flags = ["--quick", "--rounds", "2", "--repetitions", "1", "--latency-models", MODEL]
    flags += ["--passes", "graph-pack-matmuls,cse", "--output", str(tmp_path)]
    done = ablation(built, *flags, "--no-latency")
    assert done.returncode == 0, done.stderr
    done = ablation(built, *flags, "--resume")
    assert done.returncode == 0, done.stderr
    assert "counted" not in done.stderr and f"timed {MODEL}" in done.stderr
    variants_of = json.loads((tmp_path / "ablation.json").read_text())["models"][MODEL]
    assert variants_of["graph-pack-matmuls"]["ratio"]["median"] > 0
    assert variants_of[UNFUSED]["ratio"]["median"] > 0
    assert variants_of[DEFAULT]["latency"]["median_ms"] > 0
    assert f"### {MODEL}" in done.stdout


def test_the_page_names_no_folder_of_the_machine() -> None:
    words = ["--built", "/models", "--update-docs", "--output=/results", "--rounds", "3"]
    assert without_folders(words) == ["--update-docs", "--rounds", "3"]
