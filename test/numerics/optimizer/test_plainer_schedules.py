"""Kernels whose default schedule fails get the next plainer one, down to plain loops, and are reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from idiom_builder import Builder, model_of
from oracle import differences, runtime

from mlc.bindings import ir
from mlc.codegen.errors import CodegenError, WorkerCrashError
from mlc.codegen.inline_jobs import InlineJobs
from mlc.compiler import CompileError, Options, compile_program, dump, kernel_job
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.candidates import LOOPS, Candidate
from mlc.passes.schedule.cpu import default_schedules
from mlc.passes.schedule.cpu.contraction import ContractionSchedule
from mlc.tools.mlc.main import main

Arrays = dict[str, np.ndarray]
SUM_AXES = np.array([0])


@pytest.fixture(autouse=True)
def not_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets plainer schedules replace those that fail."""
    monkeypatch.delenv("MLC_STRICT", raising=False)


def convolution(
    b: Builder, channels: int, filters: int, pixels: int, window: int = 3, **attributes: Any
) -> str:
    """Sums of about one."""
    weights = b.value(filters, channels, window, window) * (channels * window**2) ** -0.5
    pads = [window // 2] * 4
    image = b.input(1, channels * attributes.get("group", 1), pixels, pixels)
    return b.Conv(image, weights, kernel_shape=[window, window], pads=pads, **attributes)


def attention(b: Builder, queries: int = 20, keys: int = 24) -> str:
    """Two heads of 16 elements."""
    q, k, v = b.input(1, 2, queries, 16), b.input(1, 2, keys, 16), b.input(1, 2, keys, 16)
    scores = b.Mul(b.MatMul(q, b.Transpose(k, perm=[0, 1, 3, 2])), 0.25)
    return b.MatMul(b.Softmax(scores, axis=-1), v)


def open_columns(b: Builder) -> str:
    """Columns apart, and too few filters per group for a block."""
    image = b.Reshape(b.Transpose(b.input(40, 20), perm=[1, 0]), [1, 4, 5, -1])
    return b.Conv(image, b.value(4, 2, 3, 3), group=2, strides=[1, 2])


# Schedule -> a model with a kernel that gets it, from static inputs.
STATIC: dict[str, Callable[[Builder], str]] = {
    "winograd": lambda b: convolution(b, 32, 32, 16),
    "windows": lambda b: convolution(b, 1, 8, 20, group=8),
    "attention": attention,
    "blocked-product": lambda b: b.MatMul(b.input(128, 3072), b.value(3072, 256) / 50),
    "blocked-convolution": lambda b: convolution(b, 512, 256, 7),
    "column-sums": lambda b: b.ReduceSum(b.input(4096, 256), SUM_AXES),
    "register-tiles": lambda b: b.Relu(b.MatMul(b.input(40, 30), b.value(30, 48))),
    "narrow-columns": lambda b: b.Softmax(b.input(5, 30, 7), axis=1),
    "rows": lambda b: b.Softmax(b.input(30, 50), axis=-1),
    "transpose": lambda b: b.Transpose(b.input(256, 320), perm=[1, 0]),
    "elementwise": lambda b: b.Add(b.input(300, 300), b.input(300, 300)),
}
# The same with the first dim of the inputs open.
OPEN: dict[str, Callable[[Builder], str]] = {
    "winograd": lambda b: convolution(b, 32, 32, 16),
    "attention": attention,
    "windows": lambda b: convolution(b, 1, 8, 20, group=8),
    "streamed-attention": lambda b: attention(b, 20, 7000),
    "register-tiles": lambda b: b.Relu(b.MatMul(b.input(40, 30), b.value(30, 48))),
    "columns": open_columns,
    "rows": lambda b: b.Softmax(b.input(30, 50), axis=-1),
    "elementwise": lambda b: b.Add(b.input(300, 300), b.input(300, 300)),
}
# Which of the schedules of products and sums a machine takes depends on its caches.
BY_CACHES = {"blocked-product", "blocked-convolution", "column-sums"}
SLOW = {*BY_CACHES, "winograd", "trees", "open-winograd", "open-attention", "open-rows", "open-columns"}


def _case(name: str, form: Callable[[Builder], str], is_open: bool) -> Any:
    title = f"open-{name}" if is_open else name
    marks = [pytest.mark.slow] if title in SLOW else []
    return pytest.param(form, name, is_open, id=title, marks=marks)


CASES = [_case(name, form, False) for name, form in STATIC.items()]
CASES += [_case(name, form, True) for name, form in OPEN.items()]


def model_and_inputs(form: Callable[[Builder], str], is_open: bool) -> tuple[onnx.ModelProto, Arrays]:
    """Returns the model and its inputs."""
    model, inputs = model_of({"y": form})
    for value in model.graph.input if is_open else ():
        value.type.tensor_type.shape.dim[0].dim_param = "n"
    return model, inputs


def fail(monkeypatch: pytest.MonkeyPatch, names: set[str] | None) -> None:
    """Makes the default schedules called `names`, or all, fail when they are applied."""
    first = default_schedules.candidates

    def candidates(kernel: ir.Operation) -> Iterator[Candidate]:
        for name, add in first(kernel):
            yield name, lambda name=name, add=add: add() and (not _is_in(name) or _append_wrong_step(kernel))

    def _is_in(name: str) -> bool:
        return names is None or name in names

    monkeypatch.setattr(default_schedules, "candidates", candidates)


def _append_wrong_step(kernel: ir.Operation) -> bool:
    ScheduleBuilder(kernel).get_block("nothing")
    return True


def report_of(model: onnx.ModelProto, inputs: Arrays, **options: Any) -> list[dict[str, Any]]:
    """Compiles in this process and checks the results. Returns the kernels with plainer schedules."""
    program = compile_program(model, Options(**{"pool": InlineJobs(), "cache": False, **options}))
    expected = runtime(model, inputs)
    assert expected is not None
    assert not differences(program.executable(2).run(inputs), expected)
    return program.report.get("plainer_schedules", [])


def test_keys_whose_scores_do_not_fit_the_stack_need_no_plainer_schedule() -> None:
    assert report_of(*model_of({"y": lambda b: attention(b, 32, 7000)})) == []


@pytest.mark.parametrize("form, name, is_open", CASES)
def test_the_next_schedule(
    monkeypatch: pytest.MonkeyPatch, form: Callable[[Builder], str], name: str, is_open: bool
) -> None:
    fail(monkeypatch, {name})
    found = [entry for entry in report_of(*model_and_inputs(form, is_open)) if name in entry["rejected"]]
    if not found and name in BY_CACHES:
        pytest.skip("no kernel has the schedule on this machine")
    assert found
    for entry in found:
        assert entry["schedule"] not in entry["rejected"]
        assert "has no block 'nothing'" in entry["reasons"][0]
        assert entry["nodes"] and entry["kernel"]


@pytest.mark.parametrize("form, name, is_open", CASES)
def test_plain_loops(
    monkeypatch: pytest.MonkeyPatch, form: Callable[[Builder], str], name: str, is_open: bool
) -> None:
    fail(monkeypatch, None)
    found = report_of(*model_and_inputs(form, is_open))
    assert found
    assert {entry["schedule"] for entry in found} == {LOOPS}


def test_the_dump_of_ir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It shows the kernel as it is compiled."""
    fail(monkeypatch, {"register-tiles"})
    monkeypatch.setattr(dump, "WorkerPool", lambda *_, **__: nullcontext(InlineJobs()))
    model, _ = model_and_inputs(STATIC["register-tiles"], False)
    dump.dump_ir(model, Options(cache=False), tmp_path)
    (scheduled,) = tmp_path.glob("kernels/matmul*/scheduled.mlir")
    assert "scf.forall" in scheduled.read_text()
    with pytest.raises(CompileError, match="has no block 'nothing'"):
        dump.dump_ir(model, Options(cache=False, strict=True), tmp_path)


class CrashingJobs(InlineJobs):
    """Loses the worker of each kernel's first job."""

    def submit(self, function: str, payload: dict[str, Any], timeout: float | None = None) -> Future[Any]:
        """Runs a job, if it is not the first of its kernel."""
        if payload["pipeline"] != "cpu-kernel" or payload.get("rejected"):
            return super().submit(function, payload, timeout)
        future: Future[Any] = Future()
        future.set_exception(WorkerCrashError(function, -11, ("LLVM ERROR: Cannot select",)))
        return future


def test_a_crash_of_llvm() -> None:
    [entry] = report_of(*model_and_inputs(STATIC["register-tiles"], False), pool=CrashingJobs())
    assert (entry["rejected"], entry["schedule"]) == (["register-tiles"], "rows")
    assert entry["reasons"] == [
        "the worker process running mlc.compiler.kernel_job:compile_object was killed by SIGSEGV"
    ]


def test_a_schedule_that_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    first, (model, inputs) = default_schedules.candidates, model_and_inputs(STATIC["register-tiles"], False)

    def candidates(kernel: ir.Operation) -> Iterator[Candidate]:
        yield "wrong", lambda: bool(inputs["size"])
        yield from first(kernel)

    monkeypatch.setattr(default_schedules, "candidates", candidates)
    [entry] = [entry for entry in report_of(model, inputs) if entry["schedule"] == "register-tiles"]
    assert entry["rejected"] == ["wrong"]
    assert "the default schedule 'wrong' cannot be built: KeyError" in entry["reasons"][0]


@pytest.mark.parametrize("is_open", [False, True])
def test_schedules_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch, is_open: bool) -> None:
    """A shape on which the choice of register tiles fails."""

    def matches(_schedule: ContractionSchedule) -> bool:
        raise ValueError("no tile")

    monkeypatch.setattr(ContractionSchedule, "matches", matches)
    [entry] = report_of(*model_and_inputs(STATIC["register-tiles"], is_open))
    assert entry["rejected"][0] == "contraction"
    assert "ValueError: no tile" in entry["reasons"][0]


def test_the_report_is_the_same_from_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fail(monkeypatch, {"register-tiles"})
    model, inputs = model_and_inputs(STATIC["register-tiles"], False)
    onnx.save(model, tmp_path / "model.onnx")
    [entry] = report_of(model, inputs, cache=True)
    monkeypatch.undo()
    # The program from the cache; then another one with the same kernel.
    assert report_of(model, inputs, cache=True) == [entry]
    model.doc_string = "changed"
    assert report_of(model, inputs, cache=True) == [entry]
    arguments = ["explain", str(tmp_path / "model.onnx")]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plainer_schedules"] == [entry]
    assert main(arguments) == 0
    assert "register-tiles" in capsys.readouterr().out


SCHEDULE = """
"tloop.schedule"() ({
  %0 = "tloop.get_block"() {block_name = "nothing"} : () -> !tloop.block
}) {kernel = @"*"} : () -> ()
"""


def test_schedules_of_users_still_fail() -> None:
    with pytest.raises(CompileError, match="has no block 'nothing'"):
        report_of(*model_and_inputs(STATIC["register-tiles"], False), schedules=SCHEDULE)


def test_the_first_failure_is_reported_if_all_schedules_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def emit(*_arguments: Any) -> bytes:
        raise CodegenError(f"failure {next(counter)}")

    counter = count()
    monkeypatch.setattr(kernel_job, "emit", emit)
    with pytest.raises(CompileError, match="failure 0"):
        report_of(*model_and_inputs(STATIC["elementwise"], False))
