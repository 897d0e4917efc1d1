"""`mlc profile`: the table, JSON, wrong arguments; the machine's peaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from mlc.runtime.profiling.profile import KernelProfile, Peaks, Profile
from mlc.tools.mlc.machine_peaks import measure_peaks

# What makes profiles short.
SHORT = ("--runs", "3", "--warmup", "0", "--threads", "1", "--no-peaks")


def rows_of(text: str) -> list[list[str]]:
    """Returns the cells of the table's rows, without its head."""
    lines = [line.split() for line in text.splitlines()]
    return lines[lines.index([]) + 2 :]


def test_the_table(mlc: Any, mlp: Path) -> None:
    done = mlc("profile", mlp, *SHORT)
    assert done.status == 0 and "Traceback" not in done.err
    assert done.out.startswith("the faster 2 of 3 calls on 1 thread: ")
    assert "register-tiles" in done.out and "first (+" in done.out and "peak" not in done.out
    times = [float(row[0]) for row in rows_of(done.out)]
    assert times[:-1] == sorted(times[:-1], reverse=True)
    assert rows_of(done.out)[-1][1:] == ["100.0%", "(call)"]
    assert sum(times[:-1]) == pytest.approx(times[-1], abs=0.001 * len(times))
    assert "(+" not in mlc("profile", mlp, *SHORT, "-v").out


def test_json_and_an_executable_file(mlc: Any, mlp: Path) -> None:
    assert mlc("compile", mlp, "-o", "m.mlcx").status == 0
    data = mlc("profile", "m.mlcx", *SHORT, "--json").json()
    assert (data["calls"], data["of_calls"], data["threads"], data["peaks"]) == (2, 3, 1, None)
    assert {node for kernel in data["kernels"] for node in kernel["nodes"]} >= {"first", "second"}
    assert data["call_ms"] == pytest.approx(data["host_ms"] + sum(kernel["ms"] for kernel in data["kernels"]))
    assert all(kernel["gflops_of_peak"] is None for kernel in data["kernels"])


def test_the_longest_kernels_alone(mlc: Any, mlp: Path) -> None:
    full = mlc("profile", mlp, *SHORT, "--json").json()["kernels"]
    assert len(full) > 1
    assert len(mlc("profile", mlp, *SHORT, "--top", "1", "--json").json()["kernels"]) == 1
    shown = mlc("profile", mlp, *SHORT, "--top", "1").out
    assert f"({len(full) - 1} other kernels)" in shown
    times = [float(row[0]) for row in rows_of(shown)]
    assert sum(times[:-1]) == pytest.approx(times[-1], abs=0.001 * len(times))


def test_shares_of_the_peaks(mlc: Any, mlp: Path) -> None:
    data = mlc("profile", mlp, "--runs", "1", "--threads", "2", "--json").json()
    assert data["peaks"]["gflops"] > 0 and data["peaks"]["gb_per_second"] > 0
    for kernel in data["kernels"]:
        assert kernel["gb_of_peak"] == pytest.approx(kernel["gb_per_second"] / data["peaks"]["gb_per_second"])
        assert kernel["gflops_of_peak"] == pytest.approx(kernel["gflops"] / data["peaks"]["gflops"])
    shown = mlc("profile", mlp, "--runs", "1", "--threads", "1").out
    assert "GFLOP/s of f32 multiply-adds" in shown and "of peak" in shown


@pytest.mark.parametrize(("bandwidth", "shown"), [(60.0, "50%"), (30.0, "100%"), (20.0, "cache")])
def test_share_of_the_bandwidth_of_memory(bandwidth: float, shown: str) -> None:
    kernel = KernelProfile("k", 1, 1.0, None, 30 * 10**9, "float32", "rows", ("n",))
    profile = Profile(1, 1, 1, 1.0, (kernel,), peaks=Peaks(100.0, bandwidth))
    assert rows_of(str(profile))[0] == ["1000.000", "100.0%", "1", "30.0", shown, "rows", "k", "n"]
    assert profile.to_json()["kernels"][0]["gb_of_peak"] == 30.0 / bandwidth


def test_peaks_are_finite() -> None:
    peaks = measure_peaks(1)
    assert 0 < peaks.gflops < 1e5 and 0 < peaks.gb_per_second < 1e5


def test_sizes_that_a_call_chooses(mlc: Any, folder: Path, save: Any) -> None:
    nodes = [helper.make_node("Exp", ["x"], ["y"], name="exp")]
    model = save(folder / "rows.onnx", nodes, inputs={"x": ["rows", 8]}, outputs={"y": ["rows", 8]})
    assert mlc("compile", model, "-o", "m.mlcx", "--specialise", "rows=4").status == 0
    np.save("x.npy", np.ones((6, 8), np.float32))
    data = mlc("profile", "m.mlcx", *SHORT, "--input", "x=x.npy", "--json").json()
    [kernel] = data["kernels"]
    assert data["sizes"] is None and kernel["nodes"] == ["exp"]
    own = mlc("profile", "m.mlcx", *SHORT, "--dim", "rows=4", "--json").json()
    assert own["sizes"] == {"rows": 4}


@pytest.mark.parametrize(
    ("flags", "status", "message"),
    [
        (("--runs", "0"), 2, "--runs"),
        (("--threads", "0"), 2, "--threads"),
        (("--top", "-1"), 2, "--top"),
        (("--seconds", "x"), 2, "--seconds"),
        (("--target", "cuda:sm_90a"), 1, "cuda:sm_90a: profiles of programs of GPUs are not supported"),
        (("--input", "z=x.npy"), 1, "--input z=x.npy: expected NAME=FILE"),
    ],
)
def test_wrong_arguments(mlc: Any, mlp: Path, flags: tuple[str, ...], status: int, message: str) -> None:
    done = mlc("profile", mlp, *flags)
    assert done.status == status and message in done.err and "Traceback" not in done.err


def test_inputs_of_a_wrong_shape(mlc: Any, mlp: Path) -> None:
    np.save("x.npy", np.ones((2, 3), np.float32))
    done = mlc("profile", mlp, *SHORT, "--input", "x=x.npy")
    assert done.status == 1 and done.err.startswith("mlc: error: input 'x'")
