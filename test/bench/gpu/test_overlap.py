"""A model is also timed without overlapping launches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from onnx import helper

from bench.gpu.build import MIB, build
from bench.gpu.cases import PlannedCase
from bench.gpu.models import CaseModel, one_operator
from bench.gpu.runner.manifest import GpuCase, WeightSource
from bench.gpu.runner.worker import GpuWorker
from mlc.runtime.cuda.plan.launch_overlap import VARIABLE


def chain() -> CaseModel:
    """Returns y = softmax(x w) w, which takes three launches or two."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["shares"]),
        helper.make_node("MatMul", ["shares", "w"], ["y"]),
    ]
    return one_operator(
        nodes, [WeightSource("x", "float32", (64, 64))], (64, 64), [WeightSource("w", "float32", (64, 64))]
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overlap") / "built"
    cases = [PlannedCase(GpuCase(group, group, "f32"), chain) for group in ("model", "gemm")]
    assert all(case.steps > 1 for case in build(folder, cases, "sm_90a", MIB, cubin=False))
    return folder


def measure_case(root: Path, name: str) -> dict[str, Any]:
    worker = GpuWorker(root, lambda answer: None)
    [case] = [case for case in worker.manifest.cases if case.name == name]
    with worker.device:
        times = worker.measure(case, 0.5)["times"]
        assert isinstance(times, dict)
        return {"overlap": worker.about()["overlap"], **times}


def test_both_are_timed(root: Path, stub: Any) -> None:
    found = measure_case(root, "model")
    assert found["overlap"] and set(found) == {"overlap", "mlc", "mlc-no-overlap"}
    early, misplaced = stub.overlaps()
    # Each program is captured once: all but the first launch of the one, and none of the other.
    launches = stub.log().splitlines()
    assert early == len(launches) // 2 - 1 > 0 and misplaced == 0


def test_other_cases_are_timed_once(root: Path, stub: Any) -> None:
    assert set(measure_case(root, "gemm")) == {"overlap", "mlc"}
    assert stub.overlaps()[0] > 0


def test_without_overlap_there_is_nothing_to_compare(
    root: Path, stub: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    found = measure_case(root, "model")
    assert not found["overlap"] and "mlc-no-overlap" not in found
    assert stub.overlaps() == (0, 0)
