"""The runner on the stub driver: verification, times, what fails, what is left out."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.gpu.runner.run import main

WORKER = Path(__file__).with_name("stub_worker.py")
COMPUTING = ("gemm_64_f32", "batched_gemm_2x32_f16")


def ran(artefacts: Path, tmp_path: Path, *arguments: str, fault: str = "none") -> tuple[int, dict[str, Any]]:
    """The exit status, and the JSON's cases by name."""
    path = tmp_path / "results.json"
    command = [sys.executable, "-P", str(WORKER), fault]
    status = main(["--json", str(path), *arguments], artefacts, command)
    return status, {case["name"]: case for case in json.loads(path.read_text())["cases"]}


@pytest.mark.usefixtures("stub")
def test_cases_are_verified_then_timed(
    artefacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, cases = ran(artefacts, tmp_path, "--seconds", "40", "--only", "gemm,unknown*")
    assert status == 0
    for name in COMPUTING:
        assert cases[name]["verified"], name
        assert cases[name]["errors"][0] <= cases[name]["tolerance"]
        assert cases[name]["times"]["mlc"]["rounds"] >= 5
        assert "torch" in cases[name]["notes"]["peers"]
    assert "times" not in cases["unknown_f32"]
    text = capsys.readouterr().out
    assert "no peers are timed; launches overlap\n" in text
    assert "| gemm_64_f32 |" in text and "TFLOP/s" in text
    assert "unknown_f32: not compiled:" in text and "Unheard" in text


@pytest.mark.slow
@pytest.mark.usefixtures("stub")
def test_memory_is_timed_with_a_cold_cache(
    artefacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, cases = ran(artefacts, tmp_path, "--seconds", "40", "--only", "memory")
    assert status == 0
    assert all(cases[name]["times"]["mlc"]["calls"] >= 3 for name in ("gelu_bf16", "layer_norm_f32"))
    assert "GB/s" in capsys.readouterr().out


@pytest.mark.usefixtures("stub")
def test_wrong_results_are_not_timed(
    artefacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, cases = ran(artefacts, tmp_path, "--seconds", "40", "--only", "gemm", fault="wrong")
    assert status == 1
    assert cases["gemm_64_f32"]["verified"] is False
    assert "times" not in cases["gemm_64_f32"]
    assert "times" in cases["batched_gemm_2x32_f16"]
    assert "gemm_64_f32: WRONG: errors 5.0e-01, tolerance 2e-05; not timed" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize(("fault", "text"), [("ends", "the worker ended"), ("hangs", "stopped after ")])
def test_a_case_that_fails_stops_no_other(artefacts: Path, tmp_path: Path, fault: str, text: str) -> None:
    status, cases = ran(artefacts, tmp_path, "--seconds", "30", "--only", "gemm", fault=fault)
    assert status == 1
    assert cases["gemm_64_f32"]["error"].startswith(text)
    assert "times" in cases["batched_gemm_2x32_f16"]


@pytest.mark.usefixtures("stub")
def test_without_time_it_says_what_it_left_out(
    artefacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, cases = ran(artefacts, tmp_path, "--only", "memory", "--verify-only", "--no-overlap")
    assert (status, cases["gelu_bf16"]["verified"]) == (0, True)
    text = capsys.readouterr().out
    assert "gelu_bf16: verified (error" in text and "launches do not overlap\n" in text
    status, cases = ran(artefacts, tmp_path, "--only", "memory", "--seconds", "8")
    assert status == 0
    assert not any("verified" in value for value in cases.values())
    assert "gelu_bf16: left out: no time to verify it" in capsys.readouterr().out


def copy_artefacts(artefacts: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(artefacts, tmp_path / "copy"))


def test_bad_folders_are_one_error(
    artefacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], tmp_path) == 2
    assert "manifest.json: cannot read: No such file" in capsys.readouterr().err
    root = copy_artefacts(artefacts, tmp_path)
    assert main(["--only", "nothing"], root) == 2
    assert "no case matches 'nothing'" in capsys.readouterr().err
    text = (root / "manifest.json").read_text()
    for old, new, message in (
        ('"format": 1', '"format": 2', "format 2 is not 1"),
        ('"gelu_bf16"', '"../gelu"', "the case's name '../gelu' is no plain file name"),
        ('"gelu_bf16"', '"layer_norm_f32"', "two cases have the name 'layer_norm_f32'"),
        ('"precision": "bf16"', '"precision": "int7"', "expected one of ['f32', 'tf32', 'f16', 'bf16']"),
        ("{", "", "not valid JSON"),
    ):
        (root / "manifest.json").write_text(text.replace(old, new, 1))
        assert main([], root) == 2
        error = capsys.readouterr().err
        assert message in error and len(error.splitlines()) == 1


@pytest.mark.usefixtures("stub")
def test_damaged_cases_fail_alone(artefacts: Path, tmp_path: Path) -> None:
    root = copy_artefacts(artefacts, tmp_path)
    (root / "cases/gelu_bf16/graph.json").write_text('{"nodes": 3}')
    (root / "cases/layer_norm_f32/plan.json").unlink()
    status, cases = ran(root, tmp_path, "--only", "gemm,memory", "--verify-only")
    assert status == 1
    assert "graph.json: no graph of operators" in cases["gelu_bf16"]["error"]
    assert "plan.json: cannot read" in cases["layer_norm_f32"]["error"]
    assert cases["gemm_64_f32"]["verified"]


def test_the_folder_runs_alone(artefacts: Path, tmp_path: Path) -> None:
    """The interpreter sees neither the repository nor an installed mlc's packages first."""
    command = [sys.executable, str(artefacts / "run.py"), "--json", str(tmp_path / "results.json")]
    environment = {"MLC_CUDA_DRIVER": str(tmp_path / "libcuda.so.1"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "run.py: DriverMissingError: MLC_CUDA_DRIVER: cannot load the CUDA driver"
    ), done.stderr
