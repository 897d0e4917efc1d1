"""Kernels whose default schedule fails get the next plainer one, down to plain loops, and the report names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import pytest
from idiom_builder import Builder, model_of
from oracle import differences, runtime

from mlc.bindings import ir
from mlc.codegen.inline_jobs import InlineJobs
from mlc.compiler import Options, compile_program
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.candidates import LOOPS, Candidate
from mlc.passes.schedule.cpu import default_schedules

Arrays = dict[str, np.ndarray]
SUM_AXES = np.array([0])


def convolution(b: Builder, channels: int, filters: int, pixels: int, window: int = 3, **attributes: Any) -> str:
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


# Schedule -> a model with a kernel that gets it, from static inputs.
STATIC: dict[str, Callable[[Builder], str]] = {
    "winograd": lambda b: convolution(b, 32, 32, 16),
    "windows": lambda b: convolution(b, 1, 8, 20, group=8),
    "attention": attention,
    "blocked-product": lambda b: b.MatMul(b.input(128, 3072), b.value(3072, 256) / 50),
    "blocked-convolution": lambda b: convolution(b, 512, 256, 7),
    "column-sums": lambda b: b.ReduceSum(b.input(4096, 256), SUM_AXES),
    "register-tiles": lambda b: b.Relu(b.MatMul(b.input(40, 30), b.value(30, 48))),
    "rows": lambda b: b.Softmax(b.input(30, 50), axis=-1),
    "transpose": lambda b: b.Transpose(b.input(256, 320), perm=[1, 0]),
    "elementwise": lambda b: b.Add(b.input(300, 300), b.input(300, 300)),
}
# The same with the first dim of the inputs open.
OPEN: dict[str, Callable[[Builder], str]] = {
    "attention": attention,
    "streamed-attention": lambda b: attention(b, 3),
    "register-tiles": lambda b: b.Relu(b.MatMul(b.input(40, 30), b.value(30, 48))),
    "columns": lambda b: b.MatMul(b.value(12, 20), b.Transpose(b.input(40, 20), perm=[1, 0])),
    "rows": lambda b: b.Softmax(b.input(30, 50), axis=-1),
    "elementwise": lambda b: b.Add(b.input(300, 300), b.input(300, 300)),
}
CASES = [pytest.param(form, name, False, id=name) for name, form in STATIC.items()]
CASES += [pytest.param(form, name, True, id=f"open-{name}") for name, form in OPEN.items()]


def built(form: Callable[[Builder], str], is_open: bool) -> tuple[onnx.ModelProto, Arrays]:
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


def compiled(model: onnx.ModelProto, inputs: Arrays) -> dict[str, list[dict[str, Any]]]:
    """Compiles in this process, checks the results, and returns the report's kernels by rejected schedules."""
    program = compile_program(model, Options(pool=InlineJobs(), cache=False))
    expected = runtime(model, inputs)
    assert expected is not None
    assert not differences(program.executable(2).run(inputs), expected)
    return program.report.get("plainer_schedules", [])


@pytest.mark.parametrize("form, name, is_open", CASES)
def test_the_next_schedule(
    monkeypatch: pytest.MonkeyPatch, form: Callable[[Builder], str], name: str, is_open: bool
) -> None:
    fail(monkeypatch, {name})
    found = [entry for entry in compiled(*built(form, is_open)) if name in entry["rejected"]]
    assert found, "no kernel of this machine has the schedule"
    for entry in found:
        assert entry["schedule"] not in entry["rejected"]
        assert "has no block 'nothing'" in entry["reasons"][0]
        assert entry["nodes"] and entry["kernel"]


@pytest.mark.parametrize("form, name, is_open", CASES)
def test_plain_loops(
    monkeypatch: pytest.MonkeyPatch, form: Callable[[Builder], str], name: str, is_open: bool
) -> None:
    fail(monkeypatch, None)
    found = compiled(*built(form, is_open))
    assert found
    assert {entry["schedule"] for entry in found} == {LOOPS}
