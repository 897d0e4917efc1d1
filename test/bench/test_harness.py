"""The harness: statistics, tables, workers, and a whole run with a slow, a wrong and a dying engine."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bench import available, engines, run, summary, tables
from bench.cell import BenchCell, CellError, Key
from bench.engines import as_list
from bench.measure import RoundBudget, time_calls
from bench.memory import PeakSampler, session_memory_mb
from bench.tensor_files import load_tensors, save_tensors

MODEL = "mlp_small_b1"
ROOT = Path(__file__).parents[2]
MACHINE = {"processor": "P", "cpus": 2, "load_average": 0.0}


def rounds(*medians: float) -> list[summary.Record]:
    return [{"median_ms": median, "min_ms": median - 0.5, "other_cores": 0.0} for median in medians]


def record(engine: str, *medians: float) -> summary.Record:
    measured = rounds(*medians)
    return {
        "model": "m",
        "engine": engine,
        "threads": 1,
        "rounds": measured,
        "latency": summary.latency(measured),
        "ready": {"ready_s": 0.25, "peak_mb": 100.0, "version": "1"},
        "errors": {"y": 2e-6, "z": 1e-6},
    }


def test_latency_is_the_median_of_rounds_with_their_spread() -> None:
    found = summary.latency(rounds(2.0, 3.0, 2.5))
    assert found["median_ms"] == 2.5
    assert found["spread"] == pytest.approx(0.4)
    assert found["min_ms"] == 1.5


def test_inputs_keep_their_shapes(tmp_path: Path) -> None:
    """A scalar, such as a sample rate, remains one: programs of fixed shapes are compiled for it."""
    path = tmp_path / "in.npz"
    save_tensors(path, {"rate": np.array(16000), "x": np.ones((3, 2)).T})
    found = load_tensors(path)
    assert {name: array.shape for name, array in found.items()} == {"rate": (), "x": (2, 3)}
    assert all(array.flags.c_contiguous for array in found.values())


def test_strings_are_stored_without_pickling(tmp_path: Path) -> None:
    words = np.array([["one", "three"]], dtype=object)
    save_tensors(tmp_path / "in.npz", {"words": words})
    found = load_tensors(tmp_path / "in.npz")["words"]
    assert found.dtype == object and (found == words).all()
    assert summary.relative_error(found, words) == 0
    assert summary.relative_error(found, np.array([["one", "two"]], dtype=object)) == 1


def test_maps_are_compared_by_their_values() -> None:
    [found] = as_list([[{"cat": 0.25, "dog": 0.75}, {"cat": 1.0, "dog": 0.0}]])
    assert found.tolist() == [[0.25, 0.75], [1.0, 0.0]]


def test_ratio_pairs_rounds() -> None:
    # Both slow down together in the second round, so the ratio does not move.
    found = summary.ratio(rounds(2.0, 4.0, 3.0), rounds(1.0, 2.0, 1.0))
    assert found == {"median": 2.0, "low": 2.0, "high": 3.0}


def test_ratios_leave_out_failures_and_the_baseline() -> None:
    failed = {"model": "m", "engine": "broken", "threads": 1, "error": "boom"}
    other_model = {**record("mlc", 1.0), "model": "n"}
    found = summary.ratios([record("base", 2.0), record("mlc", 1.0), failed, other_model], "base")
    assert [(entry["engine"], entry["model"], entry["median"]) for entry in found] == [("mlc", "m", 0.5)]


def test_relative_error() -> None:
    expected = np.array([1.0, -4.0], np.float32)
    assert summary.relative_error(np.array([1.5, -4.0], np.float32), expected) == 0.125
    assert summary.relative_error(np.array([True, False]), np.array([True, True])) == 1.0
    with pytest.raises(ValueError, match="shape"):
        summary.relative_error(np.zeros((1, 2)), expected)
    with pytest.raises(ValueError, match="finite"):
        summary.relative_error(np.array([np.nan, 0.0]), expected)
    with pytest.raises(ValueError, match="1 outputs, the reference has 2"):
        summary.relative_errors([expected], [expected, expected])


def test_tables_show_medians_ratios_and_failures() -> None:
    failed = {"model": "n", "engine": "mlc", "threads": 1, "error": "no\nkernel"}
    records = [record("base", 2.0, 2.0), record("mlc", 1.0, 1.5), failed]
    skipped = {"xla": "No module named 'jax'"}
    text = tables.markdown(run.results(records, "base", MACHINE, skipped))
    assert "| model | base | mlc | mlc / fastest peer |" in text
    assert "| m | 2.00 (0%) | 1.25 (40%) | 0.62 (0.50 to 0.75), faster than base |" in text
    assert "| n |  | failed |  |" in text
    assert "### Skipped engines\n\n- xla: No module named 'jax'" in text
    assert "| m | 2.0e-06 | 2.0e-06 |" in text
    assert "- n, mlc, 1 threads: no kernel" in text
    assert "P, 2 CPUs, load 0.00 at the start. base 1, mlc 1." in text


def test_every_engine_is_compared_with_the_baseline() -> None:
    records = [record("base", 2.0), record("other", 4.0), record("mlc", 1.0), record("mlc:jobs=1", 3.0)]
    text = tables.markdown(run.results(records, "base", MACHINE))
    assert "| model | other | mlc | mlc:jobs=1 |" in text
    assert "| m | 2.00 (2.00 to 2.00) | 0.50 (0.50 to 0.50) | 1.50 (1.50 to 1.50) |" in text


def test_the_fastest_peer_decides_and_small_differences_are_ties() -> None:
    records = [record("fast", 2.0, 4.0), record("slow", 9.0, 9.0), record("mlc", 2.03, 4.06)]
    (entry,) = summary.against_peers(
        [*records, {"model": "m", "engine": "mlc:x", "threads": 1, "error": "no"}]
    )
    assert (entry["peer"], entry["verdict"]) == ("fast", "tie")
    assert [summary.verdict(ratio) for ratio in (0.97, 0.981, 1.019, 1.03)] == [
        "faster",
        "tie",
        "tie",
        "slower",
    ]


def test_scaling_pairs_rounds_and_needs_one_thread() -> None:
    # Both slow down together in the second round, so the ratio does not move.
    single, pair = record("mlc", 1.8, 3.6), {**record("mlc", 1.0, 2.0), "threads": 2}
    (found,) = summary.scaling([single, pair, {**pair, "engine": "alone"}])
    assert found == {"model": "m", "engine": "mlc", "threads": 2, "median": 1.8, "low": 1.8, "high": 1.8}
    text = tables.markdown(run.results([single, pair], "base", MACHINE, together=True))
    assert "more, measured in the same rounds\n\n| model | mlc, 2 threads |" in text
    assert "| m | 1.80 (1.80 to 1.80) |" in text
    assert "one after the other" in tables.markdown(run.results([single, pair], "base", MACHINE))


def test_time_calls_counts_its_calls() -> None:
    calls: list[int] = []
    found = time_calls(lambda: calls.append(1), RoundBudget(warm_up=0.0, seconds=0.0, calls=7, limit=60.0))
    assert found["calls"] == 7
    assert len(calls) == 8
    assert found["min_ms"] <= found["p10_ms"] <= found["median_ms"] <= found["p90_ms"]


def test_outputs_of_engines_become_lists() -> None:
    array = np.zeros(3)
    for result in (array, [array], (array,), {"y": array}):
        assert [found.shape for found in engines.as_list(result)] == [(3,)]


def test_memory_of_a_session_counts_its_processes() -> None:
    assert session_memory_mb(os.getsid(0)) > 10
    with PeakSampler(os.getsid(0)) as sampler:
        held = np.ones(100 << 20, np.uint8)
    assert held.nbytes / 1e6 < sampler.peak_mb


def test_engines_are_the_files() -> None:
    assert {"mlc", "onnxruntime", "openvino"} <= set(engines.names())
    with pytest.raises(ValueError, match=r"no engine named onnxruntim; the engines are: .*onnxruntime"):
        available.check_engines(["onnxruntim"])


@pytest.fixture(scope="module")
def settings(run_settings: Callable[..., run.RunSettings]) -> run.RunSettings:
    return run_settings(MODEL, seeds=2, calls=2)


def test_a_run_measures_every_engine_and_survives_those_that_fail(settings: run.RunSettings) -> None:
    good, broken = run.run_group(MODEL, ["onnxruntime", "no_such_engine"], [1], settings)
    assert "ModuleNotFoundError" in broken["error"]
    assert "error" not in good
    assert len(good["rounds"]) == 2
    assert max(good["errors"].values()) < 1e-6
    assert good["ready"]["peak_mb"] > good["ready"]["base_mb"]
    json.dumps(run.results([good, broken], "onnxruntime", {}))


def worker(settings: run.RunSettings, model: Path, python: str = sys.executable) -> BenchCell:
    key = Key(MODEL, "onnxruntime", 1)
    log = settings.logs / "cell.log"
    return BenchCell(key, model, settings.cpus[:1], python=python, cache=settings.logs, log=log)


def test_a_worker_reports_a_missing_model(settings: run.RunSettings, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=np.zeros(1))
    with worker(settings, tmp_path / "missing.onnx") as cell, pytest.raises(CellError) as failure:
        cell.load(tmp_path / "in.npz", timeout=60)
    assert "missing.onnx" in str(failure.value)


def test_a_worker_that_dies_is_reported_with_its_log(settings: run.RunSettings) -> None:
    with worker(settings, Path("any.onnx"), python="false") as cell, pytest.raises(CellError) as failure:
        cell.request(60, command="time", budget={})
    assert str(failure.value) == f"worker ended with status 1; see {settings.logs / 'cell.log'}"


def test_a_worker_that_does_not_answer_is_reported(settings: run.RunSettings) -> None:
    with worker(settings, Path("any.onnx")) as cell, pytest.raises(CellError) as failure:
        cell.request(0, command="time", budget={})
    assert str(failure.value) == "no answer within 0 s"


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_stores_tables_and_measurements(settings: run.RunSettings, tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder"
    options = (
        "--threads",
        "1",
        "--rounds",
        "2",
        "--quick",
        "--built",
        settings.directory,
        "--output",
        output,
    )
    done = bench("--engines", "onnxruntime", *options)
    assert done.returncode == 0, done.stderr
    (table,), (measured,) = output.glob("*.md"), output.glob("*.json")
    assert table.read_text() in done.stdout
    (found,) = json.loads(measured.read_text())["records"]
    assert (found["model"], found["engine"], len(found["rounds"])) == (MODEL, "onnxruntime", 2)
    assert set(found["errors"]) == {"gemm_2"}


def test_thread_counts_can_share_their_rounds(settings: run.RunSettings) -> None:
    threads = [1, 2] if len(settings.cpus) > 1 else [1, 1]
    found = run.run_group(MODEL, ["onnxruntime"], threads, settings)
    assert [record["threads"] for record in found] == threads
    assert all(len(record["rounds"]) == settings.rounds for record in found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--models", "nope"), "model 'nope' is not in"),
        (("--engines", "nope"), "no engine named nope"),
        (("--rounds", "0"), "must be at least 1"),
        (("--threads", "2", "--cpus", "0"), "2 threads need as many --cpus"),
    ],
)
def test_the_command_refuses_what_cannot_run(
    settings: run.RunSettings, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = bench("--built", settings.directory, "--output", tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("bench: ")
    assert message in done.stderr
