"""Models for sm_90a: what hardware copies is in the plan as tensor maps, and so are clusters."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.runtime.cuda import Plan
from mlc.runtime.cuda.plan.parts import LaunchStep, TensorMapParameter

ROWS, DEPTH, COLUMNS = 1024, 256, 1024


def product(rows: int) -> onnx.ModelProto:
    """Returns the model of x [rows, 256] times weights [256, 1024]."""
    weights = np.random.default_rng(0).normal(size=(DEPTH, COLUMNS)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "product")],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, DEPTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, COLUMNS])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def test_a_plan_has_the_tensor_maps_of_its_kernels(pool: WorkerPool) -> None:
    options = Options(target="cuda:sm_90a", pool=pool, cache=False, precision="bf16")
    program = compile_program(product(ROWS), options)
    plan = Plan.from_json(program.manifest()["plan"])
    given = [
        parameter for step in plan.steps if isinstance(step, LaunchStep) for parameter in step.parameters
    ]
    maps = [parameter.map for parameter in given if isinstance(parameter, TensorMapParameter)]
    assert [(tensor_map.dtype, tensor_map.dims, tensor_map.strides) for tensor_map in maps] == [
        ("bfloat16", (DEPTH, ROWS), (2 * DEPTH,)),
        ("bfloat16", (COLUMNS, DEPTH), (2 * COLUMNS,)),
        # The result.
        ("float32", (COLUMNS, ROWS), (4 * COLUMNS,)),
    ]
    assert [tensor_map.box[0] for tensor_map in maps] == [64, 64, 32]
    assert all(tensor_map.swizzle == 128 for tensor_map in maps)
    text = b"".join(program.objects.values())
    assert b"wgmma.mma_async" in text and b"cp.async.bulk.tensor" in text


def test_a_plan_launches_in_the_clusters_of_the_code(pool: WorkerPool) -> None:
    """16x8 tiles of 128x128, two of a column in a cluster."""
    options = Options(target="cuda:sm_90a", pool=pool, cache=False, precision="bf16")
    program = compile_program(product(2 * ROWS), options)
    plan = Plan.from_json(program.manifest()["plan"])
    clusters = [(kernel.cluster, kernel.grid) for kernel in plan.kernels if kernel.cluster != (1, 1, 1)]
    assert clusters == [((2, 1, 1), (2, 64, 1))]
    text = b"".join(program.objects.values())
    assert text.count(b".reqnctapercluster 2, 1, 1") == 1 and b"multicast::cluster" in text
