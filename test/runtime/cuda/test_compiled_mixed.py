"""Compiled models of which the processor computes parts, on the stub driver, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from compiled import compile_for
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompiledProgram, Options, worker_pool
from mlc.runtime import load
from mlc.runtime.cuda.plan.parts import ArenaBuffer, CallStep, CopyStep, LaunchStep, TensorBuffer

TOLERANCE = 1e-5
RNG = np.random.default_rng(0)
ROWS = np.array([[4], [0], [2]])
CONSTANTS = {
    "w": RNG.normal(size=(16, 48)).astype(np.float32),
    "b": RNG.normal(size=48).astype(np.float32),
    "four": np.array([4]),
    "two": np.array([2]),
    "one": np.array([1]),
    "rows": ROWS,
    "updates": RNG.normal(size=(3, 16)).astype(np.float32),
    "begin": np.array([0]),
    "end": np.array([3]),
}
Node = tuple[str, str, str] | tuple[str, str, str, dict[str, Any]]

# Ops with operands and results by name; x is [6, 16], y the result.
MODELS: dict[str, tuple[Sequence[Node], list[int]]] = {
    "in the middle": (
        [
            ("MatMul", "x w", "p"),
            ("Add", "p b", "s"),
            ("TopK", "s four", "v i"),
            ("GatherElements", "p i", "g", {"axis": 1}),
            ("Add", "g v", "y"),
        ],
        [6, 4],
    ),
    "first, with a weight": ([("ScatterND", "x rows updates", "u"), ("MatMul", "u w", "y")], [6, 48]),
    "last": ([("Tanh", "x", "t"), ("ScatterND", "t rows updates", "y")], [6, 16]),
    "two parts": (
        [
            ("ScatterND", "x rows updates", "u"),
            ("MatMul", "u w", "p"),
            ("TopK", "p four", "v i"),
            ("Softmax", "v", "y", {"axis": 1}),
        ],
        [6, 4],
    ),
    "with what is between them": (
        [
            ("TopK", "x four", "v i"),
            ("GatherElements", "x i", "g", {"axis": 1}),
            ("Abs", "v", "a"),
            ("Mul", "a v", "s"),
            ("TopK", "s two", "t j"),
            ("GatherElements", "g j", "h", {"axis": 1}),
            ("Add", "h t", "y"),
        ],
        [6, 2],
    ),
    "whole": ([("TopK", "x four", "y i")], [6, 4]),
    "a weight of both": (
        [
            ("MatMul", "x w", "p"),
            ("Slice", "p begin end begin", "c"),
            ("ScatterND", "w rows c", "u"),
            ("MatMul", "x u", "y"),
        ],
        [6, 48],
    ),
    "a part of a result": (
        [("MatMul", "x w", "p"), ("Slice", "p begin end begin", "c"), ("TopK", "c four", "y i")],
        [3, 4],
    ),
    "a part that begins anywhere, on the device": (
        [
            ("ReduceSum", "x one", "r", {"keepdims": 0}),
            ("Exp", "r", "e"),
            ("Slice", "e one four", "c"),
            ("Tanh", "c", "t"),
            ("Concat", "t e", "y", {"axis": 0}),
        ],
        [9],
    ),
    "a result of which a part is read": (
        [("ScatterND", "x rows updates", "u"), ("Slice", "u begin end begin", "c"), ("Tanh", "c", "y")],
        [3, 16],
    ),
}
# Those that `make check` runs.
FAST = ("in the middle",)


def model(name: str) -> onnx.ModelProto:
    made, shape = MODELS[name]
    nodes = [
        helper.make_node(op, inputs.split(), outputs.split(), f"n{i}", **dict(*rest))
        for i, (op, inputs, outputs, *rest) in enumerate(made)
    ]
    read = {value for node in nodes for value in node.input}
    graph = helper.make_graph(
        nodes,
        "mixed",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [6, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(array, value) for value, array in CONSTANTS.items() if value in read],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with worker_pool(1) as workers:
        yield workers


def compile_mixed(stub: Any, pool: WorkerPool, name: str, target: str = "cuda:sm_80") -> CompiledProgram:
    return compile_for(stub, model(name), Options(target, unsupported="cpu", cache=False, pool=pool))


@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in MODELS]
)
def test_results(name: str, stub: Any, pool: WorkerPool, tmp_path: Path) -> None:
    ort = pytest.importorskip("onnxruntime")
    compile_mixed(stub, pool, name).save(tmp_path / "model.mlcx")
    executable = load(tmp_path / "model.mlcx", threads=2)
    session = ort.InferenceSession(model(name).SerializeToString(), providers=["CPUExecutionProvider"])
    for seed in (1, 2):
        x = np.random.default_rng(seed).normal(size=(6, 16)).astype(np.float32)
        [found], [wanted] = executable(x), session.run(None, {"x": x})
        assert np.abs(found - wanted).max() <= TOLERANCE * np.abs(wanted).max()
    assert executable.cuda is not None and executable.cuda.threads == 2


@pytest.mark.slow
def test_what_is_between(stub: Any, pool: WorkerPool) -> None:
    """The products of the largest are computed where these are; what the input is read for is not."""
    program = compile_mixed(stub, pool, "with what is between them")
    reasons = {kernel["reason"].partition(":")[0] for kernel in program.report["processor"]["kernels"]}
    assert reasons == {"graph.top_k", "what it reads and what reads it is on the processor"}
    assert program.plan is not None
    # x, twice, is on the device; there and back go x, and the indices of both and the largest of these.
    moved = [step.nbytes for step in program.plan.steps if isinstance(step, CopyStep)]
    assert sorted(moved) == [6 * 2 * 4, 6 * 2 * 8, 6 * 4 * 8, 6 * 16 * 4]


def test_weights_of_the_processor_stay_on_the_host(stub: Any, pool: WorkerPool) -> None:
    """A weight that both read is in both spaces; nothing copies it in a call."""
    plan = compile_mixed(stub, pool, "a weight of both").plan
    assert plan is not None
    weights = [
        buffer for buffer in plan.buffers if isinstance(buffer, TensorBuffer) and buffer.role == "weight"
    ]
    spaces = sorted((weight.shape, weight.space) for weight in weights)
    assert spaces == [((3, 1), "host"), ((16, 48), "device"), ((16, 48), "host")]
    copied = [plan.buffers[step.source.buffer] for step in plan.steps if isinstance(step, CopyStep)]
    assert not any(isinstance(buffer, TensorBuffer) and buffer.role == "weight" for buffer in copied)


@pytest.mark.slow
def test_memory_on_the_host_holds_values_of_the_processor(stub: Any, pool: WorkerPool) -> None:
    """The sums, the four largest of each row and their indices; not the products beside them."""
    plan = compile_mixed(stub, pool, "in the middle").plan
    assert plan is not None
    sizes = {buffer.space: buffer.nbytes for buffer in plan.buffers if isinstance(buffer, ArenaBuffer)}
    assert 6 * 48 * 4 + 6 * 4 * 12 <= sizes["host"] <= 6 * 48 * 4 + 6 * 4 * 12 + 3 * 64 < sizes["device"]
    types = [type(step) for step in plan.steps if isinstance(step, CallStep | LaunchStep)]
    assert types == [LaunchStep] * 2 + [CallStep] + [LaunchStep] * 2
