"""The other commands: bench, doctor, cache, targets, completion, help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlc.tools.mlc.commands import doctor_checks
from mlc.tools.mlc.latency import LatencyBudget, measure, summary


def test_bench(mlc: Any, mlp: Path) -> None:
    data = mlc(
        "bench", mlp, "--against", "onnxruntime", "--threads", "1,2", "--runs", "5", "--warmup", "1", "--json"
    ).json()
    assert [(row["engine"], row["threads"], row["calls"]) for row in data["results"]] == [
        (engine, threads, 5) for threads in (1, 2) for engine in ("mlc", "onnxruntime")
    ]
    ours, theirs = data["results"][:2]
    assert 0 <= ours["error"] < 1e-5 and theirs["error"] is None
    assert theirs["ratio"] == pytest.approx(ours["median_ms"] / theirs["median_ms"])
    assert ours["min_ms"] <= ours["median_ms"] <= ours["p90_ms"]
    shown = mlc("bench", mlp, "--runs", "3").out.splitlines()
    assert "median ms" in shown[0] and shown[1].split()[0] == "mlc"


@pytest.mark.parametrize("runs", [1, 7, 10, 25])
def test_measure_calls_each_engine_as_often_as_asked(runs: int) -> None:
    calls = {"a": 0, "b": 0}

    def count(name: str) -> Any:
        def call() -> None:
            calls[name] += 1

        return call

    times = measure({name: count(name) for name in calls}, LatencyBudget(runs=runs, warmup=2))
    assert {name: len(values) for name, values in times.items()} == {"a": runs, "b": runs}
    assert calls["a"] == calls["b"] == 2 + 10 + runs
    assert summary(times["a"])["calls"] == runs


def test_doctor(mlc: Any) -> None:
    data = mlc("doctor", "--json").json()
    assert data["healthy"]
    checks = {check["name"]: check for check in data["checks"]}
    assert checks["compile and run"] == {
        "name": "compile and run",
        "state": "ok",
        "detail": "a small model gives the right results",
    }
    assert {"python", "llvmlite", "processor", "cache", "C compiler"} <= set(checks)


def test_doctor_names_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks, "_NEEDED", ("numpy", "no-such-need"))
    monkeypatch.setattr(doctor_checks, "_PEERS", ("onnx", "no-such-peer"))
    states = {check.name: check.state for check in doctor_checks.CHECKS["packages"]()}
    assert states.pop("python") == "ok"
    assert states == {"numpy": "ok", "no-such-need": "broken", "onnx": "ok", "no-such-peer": "absent"}


def test_doctor_finds_what_is_broken(mlc: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def break_check() -> list[doctor_checks.CheckResult]:
        raise OSError(28, "No space left on device", "/somewhere")

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(doctor_checks, "CHECKS", {"cache": doctor_checks.CHECKS["cache"]})
    done = mlc("doctor", "--json")
    assert done.status == 0 and done.json()["checks"][0]["state"] == "warning"
    monkeypatch.setattr(doctor_checks, "CHECKS", {"disk": break_check})
    done = mlc("doctor")
    assert done.status == 1
    assert done.out.split() == ["broken", "disk", "/somewhere:", "No", "space", "left", "on", "device"]


def test_cache(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert mlc("cache", "--cache-dir", folder, "--json").json()["entries"] == 0
    mlc("compile", mlp, "--cache-dir", folder)
    full = mlc("cache", "info", "--cache-dir", folder, "--json").json()
    assert full["entries"] > 1 and full["bytes"] > 1000
    assert mlc("cache", "clear", "--cache-dir", folder, "--json").json()["entries"] == full["entries"]
    assert mlc("cache", "--cache-dir", folder, "--json").json()["entries"] == 0


def test_targets(mlc: Any) -> None:
    names = [target["name"] for target in mlc("targets", "--json").json()["targets"]]
    assert names[0] == "host" and "x86-64-v3" in names
    assert "x86-64-v3" in mlc("targets").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(mlc: Any, shell: str) -> None:
    done = mlc("completion", shell)
    assert done.status == 0 and f"_MLC_COMPLETE={shell}_complete" in done.out


def test_completion_knows_the_commands(mlc: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("_MLC_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "mlc comp")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        mlc()
    assert capsys.readouterr().out.split() == ["plain,compile", "plain,completion"]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["compile", "--help"], ["run", "-h"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys; from mlc.tools.mlc.main import main; status = main(sys.argv[1:]);"
        "print(sorted({'numpy', 'onnx', 'llvmlite', 'torch_mlir', 'rich'} & set(sys.modules)), status)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] 0"
    assert len(done.stdout.splitlines()) > 1
