"""Graph-level passes that fail are left out, kernels that fail are divided into their ops, and both are
reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from idiom_builder import Builder, model_of
from oracle import differences, runtime

from mlc.bindings import ir
from mlc.codegen.errors import JobError
from mlc.codegen.inline_jobs import InlineJobs
from mlc.compiler import CompileError, Options, compile_program
from mlc.passes import registry
from mlc.passes.base import PassError
from mlc.pipelines.optional_passes import OPTIONAL
from mlc.pipelines.pass_error import PassRunError
from mlc.pipelines.pass_switches import pass_names
from mlc.tools.mlc.main import main

Arrays = dict[str, np.ndarray]


@pytest.fixture(autouse=True)
def not_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets plainer passes and kernels replace those that fail."""
    monkeypatch.delenv("MLC_STRICT", raising=False)


def network(b: Builder) -> str:
    """A convolution with what may fold into it, a product, attention, and shapes of two branches."""
    image = b.Pad(b.input(1, 16, 12, 12), np.array([0, 0, 1, 1, 0, 0, 1, 1]))
    scale, offset, mean = b.value(32), b.value(32), b.value(32)
    windows = b.Conv(image, b.value(32, 16, 3, 3) / 12, kernel_shape=[3, 3])
    normal = b.BatchNormalization(windows, scale, offset, mean, np.full(32, 1.5, np.float32))
    image = b.Conv(b.Relu(normal), b.value(16, 32, 1, 1) / 6)
    rows = b.Reshape(b.Transpose(image, perm=[0, 2, 3, 1]), np.array([1, 144, 16]))
    q, k, v = (b.MatMul(rows, b.value(16, 16) / 4) for _ in range(3))
    scores = b.Mul(b.MatMul(q, b.Transpose(k, perm=[0, 2, 1])), 0.25)
    mixed = b.Add(b.MatMul(b.Softmax(scores, axis=-1), v), rows)
    gelu = b.Mul(b.Mul(mixed, b.Add(b.Erf(b.Mul(mixed, 0.70710677)), 1.0)), 0.5)
    return b.Add(b.Pow(gelu, 2.0), b.Slice(rows, np.array([0]), np.array([1]), np.array([1])))


MODEL, INPUTS = model_of({"y": network})
_CALLS = count()


def report_of(model: onnx.ModelProto = MODEL, **options: Any) -> dict[str, Any]:
    """Compiles in this process, with kernels from the cache but not the program, and checks the results.
    Returns the compiler's report."""
    model.doc_string = str(next(_CALLS))
    program = compile_program(model, Options(**{"pool": InlineJobs(), **options}))
    expected = runtime(model, INPUTS)
    assert expected is not None
    assert not differences(program.executable(2).run(INPUTS), expected)
    return program.report


ON_CPU = [name for name in dict.fromkeys(pass_names(Options().pipeline_names())) if name in OPTIONAL]


def fail(monkeypatch: pytest.MonkeyPatch, name: str, run: Callable[[Any, ir.Operation], None]) -> None:
    """Replaces the pass's function."""
    cls = registry.lookup(name)
    assert cls is not None
    monkeypatch.setattr(cls, "run", run)


def raise_error(_self: Any, _op: ir.Operation) -> None:
    """Fails as code with a mistake does."""
    raise TypeError("a mistake")


@pytest.mark.parametrize("name", ON_CPU)
def test_a_pass_that_crashes(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail(monkeypatch, name, raise_error)
    [entry] = report_of()["skipped_passes"]
    assert entry["pass"] == name and "TypeError: a mistake" in entry["reason"]


def test_a_pass_that_makes_wrong_ir(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass that made it is left out, not the later one that fails on it."""

    def make_wrong(_self: Any, op: ir.Operation) -> None:
        main_function = next(child for child in op.regions[0].blocks[0])
        first = main_function.operation.regions[0].blocks[0].operations[0]
        with ir.InsertionPoint(first), op.location:
            ir.Operation.create("graph.matmul", operands=[], results=[])

    fail(monkeypatch, "graph-simplify-algebra", make_wrong)
    [entry] = report_of()["skipped_passes"]
    assert entry["pass"] == "graph-simplify-algebra"


@pytest.mark.parametrize("name", ["graph-verify", "graph-infer-shapes", "graph-form-kernels"])
def test_a_pass_that_is_needed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def report_model(_self: Any, op: ir.Operation) -> None:
        raise PassError("the model is wrong", op.location)

    fail(monkeypatch, name, report_model)
    with pytest.raises(PassRunError, match="the model is wrong"):
        report_of()


def test_a_pass_of_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, "graph-winograd", raise_error)
    with pytest.raises(PassRunError, match="a mistake"):
        report_of(replace_passes={"graph-winograd": "graph-winograd"})


class FailingJobs(InlineJobs):
    """Fails on kernels for which `fails` is true, with every schedule."""

    def __init__(self, fails: Callable[[str], bool]) -> None:
        super().__init__()
        self.fails = fails

    def submit(self, function: str, payload: dict[str, Any], timeout: float | None = None) -> Future[Any]:
        """Runs a job, unless it fails."""
        if payload["pipeline"] != "cpu-kernel" or not self.fails(payload["text"]):
            return super().submit(function, payload, timeout)
        future: Future[Any] = Future()
        future.set_exception(JobError("LoweringError", "no code", (), {"is_plainest": True}))
        return future


def ops_in(text: str) -> int:
    """Returns how many ops a kernel has."""
    return text.count(" = graph.") + text.count(' = "graph.')


def test_a_fused_kernel_that_fails() -> None:
    report = report_of(pool=FailingJobs(lambda text: ops_in(text) > 1), cache=False)
    assert report["divided_kernels"] and "skipped_passes" not in report
    for entry in report["divided_kernels"]:
        assert entry["kernel"] and entry["nodes"] and entry["reason"] == "no code"


def test_an_op_of_an_idiom_that_fails() -> None:
    report = report_of(pool=FailingJobs(lambda text: "graph.attention" in text), cache=False)
    assert "graph-recognize-idioms" in [entry["pass"] for entry in report["skipped_passes"]]


def test_a_kernel_that_never_compiles() -> None:
    with pytest.raises(CompileError, match="no code"):
        report_of(pool=FailingJobs(lambda text: "graph." in text), cache=False)


def test_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CompileError, match="no code"):
        report_of(pool=FailingJobs(lambda text: ops_in(text) > 1), cache=False, strict=True)
    fail(monkeypatch, "graph-winograd", raise_error)
    monkeypatch.setenv("MLC_STRICT", "1")
    with pytest.raises(PassRunError, match="a mistake"):
        report_of()


def test_the_tools_name_the_passes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fail(monkeypatch, "graph-winograd", raise_error)
    onnx.save(MODEL, tmp_path / "model.onnx")
    assert main(["explain", str(tmp_path / "model.onnx"), "--json"]) == 0
    [entry] = json.loads(capsys.readouterr().out)["skipped_passes"]
    assert entry["pass"] == "graph-winograd"
    output = str(tmp_path / "model.mlcx")
    assert main(["compile", str(tmp_path / "model.onnx"), "-o", output, "--verbose"]) == 0
    shown = capsys.readouterr().out
    assert "without 1 passes that failed" in shown and "a mistake" in shown
