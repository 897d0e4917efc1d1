"""`mlc` with a GPU as target: compile, report, run without a driver, blocks on the CPU."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.ptxas import find_ptxas
from mlc.runtime import read_container
from mlc.runtime.cuda import parse_plan


@pytest.fixture
def no_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CUDA_DRIVER", str(tmp_path / "libcuda.so.1"))


def test_executable_file(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    done = mlc("compile", mlp, "--target", "cuda:sm_80")
    assert done.status == 0, done.err
    assert re.search(r"^for +cuda:sm_80$", done.out, re.M)
    assert re.search(r"^ptxas +(at most \d+ registers, 0 kernels spill|not installed)", done.out, re.M)
    manifest, images, _ = read_container(tmp_path / "mlp.mlcx")
    plan = parse_plan(json.dumps(manifest["plan"]))
    assert len(plan.images) == len(images) == 2
    assert all(b".target sm_80" in bytes(image) for image in images)
    report = mlc("report", "mlp.mlcx", "-v").out
    assert "sm_80" in report
    assert all(kernel.function in report for kernel in plan.kernels)


def test_without_a_driver(mlc: Any, mlp: Path, no_driver: None) -> None:
    mlc("compile", mlp, "--target", "cuda:sm_80")
    for command in ("run", "bench"):
        done = mlc(command, "mlp.mlcx")
        assert done.status == 1
        assert done.err.startswith("mlc: error: MLC_CUDA_DRIVER: cannot load the CUDA driver")
        assert "Traceback" not in done.err


def test_blocks_on_the_cpu(mlc: Any, mlp: Path) -> None:
    done = mlc("run", mlp, "--target", "cuda:sm_90a", "--blocks-on-cpu", "--verify", "--tolerance", "1e-5")
    assert done.status == 0, done.out + done.err
    assert "blocks of cuda:sm_90a" in mlc("compile", mlp, "--target", "cuda:sm_90a", "--blocks-on-cpu").out


@pytest.fixture
def largest(tmp_path: Path) -> Path:
    """The two largest of each row of tanh(x)."""
    nodes = [helper.make_node("Tanh", ["x"], ["t"]), helper.make_node("TopK", ["t", "k"], ["y", "i"], "best")]
    graph = helper.make_graph(
        nodes,
        "largest",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 2])],
        [numpy_helper.from_array(np.array([2]), "k")],
    )
    path = tmp_path / "largest.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path


ON_PROCESSOR = ("--target", "cuda:sm_80", "--unsupported=cpu")


def test_parts_on_the_processor(mlc: Any, largest: Path) -> None:
    """The output of tanh has 96 bytes, of which 24 come back."""
    done = mlc("compile", largest, *ON_PROCESSOR, "-v")
    assert done.status == 0, done.err
    why = r"^top_k_[0-9a-f]{12} +best +graph.top_k: it selects one element after the other$"
    for text in (done.out, mlc("report", "largest.mlcx", "-v").out):
        assert re.search(r"^processor +1 of 2 kernels; each call moves 96 B there, 24 B back$", text, re.M)
        assert re.search(why, text, re.M)


@pytest.mark.slow
def test_parts_on_the_processor_otherwise(mlc: Any, largest: Path) -> None:
    """Without the flag, which the error names; with the blocks on the processor; as one text."""
    failed = mlc("compile", largest, "--target", "cuda:sm_80")
    assert failed.status == 1 and "a processor can (--unsupported=cpu)" in failed.err
    done = mlc("run", largest, *ON_PROCESSOR, "--blocks-on-cpu", "--verify", "--tolerance", "1e-5")
    assert done.status == 0, done.out + done.err
    done = mlc("compile", largest, *ON_PROCESSOR, "--emit=asm", "-o", "-")
    assert done.status == 1 and "of the processor, which no one text is" in done.err


def test_texts(mlc: Any, mlp: Path) -> None:
    assert mlc("compile", mlp, "--target", "cuda:sm_90a", "--emit=asm", "-o", "-").out.count(".entry") == 2
    done = mlc("compile", mlp, "--target", "cuda:sm_80", "--emit=shared-lib")
    assert done.status == 1
    assert "--emit=shared-lib is not for cuda:sm_80" in done.err


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (a CUDA toolkit, or triton) is not installed")
def test_cubin(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    assert mlc("compile", mlp, "--target", "cuda:sm_90a", "--cubin").status == 0
    _, images, _ = read_container(tmp_path / "mlp.mlcx")
    assert [bytes(image[:4]) for image in images] == [b"\x7fELF"] * 2


def test_options_that_need_a_gpu(mlc: Any, mlp: Path) -> None:
    for option in ("--blocks-on-cpu", "--cubin", "--unsupported=cpu"):
        done = mlc("compile", mlp, option)
        assert done.status == 1
        assert "needs a GPU as target, such as cuda:sm_80" in done.err


def test_targets(mlc: Any) -> None:
    found = {target["name"]: target for target in mlc("targets", "--json").json()["targets"]}
    assert found["cuda:sm_90a"]["shared_bytes"] == 227 * 1024
    assert found["cuda:sm_80"]["warp_threads"] == 32
    assert re.search(r"^cuda:sm_80 +sm_80 +1024 +65536 ", mlc("targets").out, re.M)
