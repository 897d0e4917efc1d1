"""Early reads of a GPU's kernels: they read only weights before the previous kernels have ended."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.bindings import ir
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.compiler.compilation_units import mark_weights
from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import COPY, BufferRegion, HostStep, StepList
from mlc.dialects import create_context
from mlc.runtime.cuda import Plan
from mlc.runtime.cuda.plan.parts import LaunchStep, PointerParameter

X = TensorInfo("float32", (4, 8))
# Arguments: x, y, two weights, the arena.
HOST = HostFunction("main", "", (X,), (X,), (X, X), (0, 1), 256, 256, "size", ("both", "some", "none"))


def step(kernel: str, *arguments: int, offset: int = 0) -> HostStep:
    return HostStep(
        kernel, tuple(BufferRegion(argument, offset, "float32", (4, 8)) for argument in arguments)
    )


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        # y and the arena are none.
        ([step("both", 0, 2, 3, 1), step("none", 1, 4)], {"both": [1, 2]}),
        # One kernel, called twice: what is a weight both times.
        ([step("some", 2, 3, 4), step("some", 4, 2, 4), step(COPY, 2, 4)], {"some": [1]}),
        ([step("some", 2, 4), step("some", 4, 4)], {}),
        # Parts of a weight: those that the plan copies first are none.
        ([step("both", 2, 4, offset=64), step("some", 2, 4, offset=8)], {"both": [0]}),
    ],
)
def test_weights_are_those_of_every_call(steps: list[HostStep], wanted: dict[str, list[int]]) -> None:
    with create_context(), ir.Location.unknown():
        text = "\n".join(f"func.func private @{name}()" for name in HOST.kernels)
        module = ir.Module.parse(text)
        functions = [op.operation for op in module.body.operations]
        mark_weights(HOST, StepList(tuple(steps)), dict(zip(HOST.kernels, functions, strict=True)))
        found = {
            name: list(ir.DenseI64ArrayAttr(function.attributes["accel.weights"]))
            for name, function in zip(HOST.kernels, functions, strict=True)
            if "accel.weights" in function.attributes
        }
    assert found == wanted


def chain() -> onnx.ModelProto:
    """Returns the model of y = (x w) v of 32 rows, and z = y^T y: tensor cores multiply, z reads no
    weights."""
    random = np.random.default_rng(0)
    weights = {name: random.normal(size=(256, 256)).astype(np.float32) for name in "wv"}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("MatMul", ["p", "v"], ["y"]),
        helper.make_node("Transpose", ["y"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["t", "y"], ["z"]),
    ]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [32, 256])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [256, 256])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def test_a_plan_says_what_is_read_early(pool: WorkerPool) -> None:
    options = Options(target="cuda:sm_90a", pool=pool, cache=False, precision="bf16")
    plan = Plan.from_json(compile_program(chain(), options).manifest()["plan"])
    weights, early = plan.tensors("weight"), []
    for step in plan.steps:
        assert isinstance(step, LaunchStep)
        for index in plan.kernels[step.kernel].early_reads:
            parameter = step.parameters[index]
            assert isinstance(parameter, PointerParameter)
            early.append(weights[parameter.buffer].name)
    assert sorted(early) == sorted(value.name for value in weights.values())
    assert not all(kernel.early_reads for kernel in plan.kernels)
