"""Kernels of GPUs whose launches share memory: its offset, and the results of their blocks on the CPU."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.runtime.cuda import Plan
from mlc.runtime.cuda.plan.parts import ArenaBuffer, LaunchStep, PointerParameter

ROWS, DEPTH, COLUMNS = 32, 4096, 64


def long_product() -> onnx.ModelProto:
    """Returns the model of y = relu(x w + b) of x [32, 4096], whose 2 tiles are too few for any GPU."""
    rng = np.random.default_rng(0)
    weights = {"w": rng.normal(size=(DEPTH, COLUMNS)), "b": rng.normal(size=COLUMNS)}
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["s"]), helper.make_node("Relu", ["s"], ["y"])],
        "long",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, DEPTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [ROWS, COLUMNS])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90a"])
def test_parts_come_after_the_arena(architecture: str, pool: WorkerPool) -> None:
    options = Options(target=f"cuda:{architecture}", pool=pool, cache=False)
    plan = Plan.from_json(compile_program(long_product(), options).manifest()["plan"])
    (arena,) = (at for at, buffer in enumerate(plan.buffers) if isinstance(buffer, ArenaBuffer))
    products, sums = plan.steps
    assert isinstance(products, LaunchStep) and isinstance(sums, LaunchStep)
    parts = plan.kernels[products.kernel].grid[0] // plan.kernels[sums.kernel].grid[0]
    assert parts > 1
    pointers = [
        [
            parameter
            for parameter in step.parameters
            if isinstance(parameter, PointerParameter) and parameter.buffer == arena
        ]
        for step in (products, sums)
    ]
    assert pointers[0] == pointers[1] and len(pointers[0]) == 1
    assert plan.buffers[arena].nbytes - pointers[0][0].offset == parts * ROWS * COLUMNS * 4


def test_results_of_the_blocks_on_the_cpu(pool: WorkerPool) -> None:
    model = long_product()
    w, b = (numpy_helper.to_array(tensor).astype(np.float64) for tensor in model.graph.initializer)
    x = np.random.default_rng(1).normal(size=(ROWS, DEPTH)).astype(np.float32)
    options = Options(target="cuda:sm_80", pool=pool, cache=False, blocks_on_cpu=True)
    executable = compile_program(model, options).executable(threads=2)
    (found,), (again,) = executable(x), executable(x)
    wanted, size = np.maximum(x @ w + b, 0), np.abs(x) @ np.abs(w)
    assert np.all(np.abs(found - wanted) <= 100 * 2.0**-24 * size)
    assert np.array_equal(found, again)
