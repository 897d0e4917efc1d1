"""Operators that GPUs cannot compute: the error names all of them, where they come from, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program
from mlc.pipelines.pass_error import PassRunError
from mlc.targets import TargetError


def model() -> onnx.ModelProto:
    """Two trees of one decision each on tanh(x [3, 4]), and the largest of each row."""
    columns: dict[str, Any] = {
        "nodes_treeids": [0, 0, 0, 1, 1, 1],
        "nodes_nodeids": [0, 1, 2, 0, 1, 2],
        "nodes_featureids": [1, 0, 0, 3, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
        "nodes_values": [0.5, 0.0, 0.0] * 2,
        "nodes_truenodeids": [1, 0, 0] * 2,
        "nodes_falsenodeids": [2, 0, 0] * 2,
        "target_treeids": [0, 0, 1, 1],
        "target_nodeids": [1, 2, 1, 2],
        "target_ids": [0, 0, 0, 0],
        "target_weights": [1.0, 2.0, 3.0, 4.0],
    }
    nodes = [
        helper.make_node("Tanh", ["x"], ["t"], "squashed"),
        helper.make_node(
            "TreeEnsembleRegressor", ["t"], ["y"], "forest", domain="ai.onnx.ml", n_targets=1, **columns
        ),
        helper.make_node("TopK", ["t", "k"], ["v", "i"], "best"),
    ]
    shapes = {
        "y": (TensorProto.FLOAT, [3, 1]),
        "v": (TensorProto.FLOAT, [3, 2]),
        "i": (TensorProto.INT64, [3, 2]),
    }
    graph = helper.make_graph(
        nodes,
        "unsupported",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])],
        [helper.make_tensor_value_info(name, *info) for name, info in shapes.items()],
        [numpy_helper.from_array(np.array([2]), "k")],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def reasons(pool: WorkerPool, **options: object) -> list[tuple[str, str]]:
    """Returns the line with the nodes and the message of each kernel that cannot be compiled."""
    with pytest.raises(CompileError) as caught:
        compile_program(model(), Options(cache=False, pool=pool, **options))  # type: ignore[arg-type]
    assert len(caught.value.causes) == 2
    return [(cause.notes[0], cause.message) for cause in caught.value.causes]


def test_gpu(pool: WorkerPool) -> None:
    trees, best = sorted(reasons(pool, target="cuda:sm_80"), key=lambda reason: "best" in reason[0])
    assert 'loc("forest")' in trees[0] and 'loc("best")' in best[0]
    assert "thread blocks cannot compute 'graph.tree_ensemble': each row goes its own way" in trees[1]
    assert "thread blocks cannot compute 'graph.top_k': it selects one element after the other" in best[1]
    assert all(text.endswith("; a processor can (--unsupported=cpu)") for _, text in (trees, best))


def options(pool: WorkerPool, **others: object) -> Options:
    given = {"target": "cuda:sm_80", "unsupported": "cpu", "pool": pool, "cache": False}
    return Options(**{**given, **others})  # type: ignore[arg-type]


def test_on_the_processor(pool: WorkerPool) -> None:
    """Results, with the blocks of the other kernels on the processor too; the report of kernels and
    reasons."""
    ort = pytest.importorskip("onnxruntime")
    program = compile_program(model(), options(pool, blocks_on_cpu=True))
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    session = ort.InferenceSession(model().SerializeToString(), providers=["CPUExecutionProvider"])
    for found, wanted in zip(program.executable(2)(x), session.run(None, {"x": x}), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    kernels = program.report["processor"]["kernels"]
    assert {tuple(kernel["nodes"]): kernel["reason"].partition(":")[0] for kernel in kernels} == {
        ("forest",): "graph.tree_ensemble",
        ("best",): "graph.top_k",
    }


def test_from_the_cache(pool: WorkerPool) -> None:
    first, second = (compile_program(model(), options(pool, cache=True)) for _ in range(2))
    assert (first.report["from_cache"], second.report["from_cache"]) == (False, True)
    assert (first.plan, first.objects) == (second.plan, second.objects)
    assert first.report["processor"] == second.report["processor"]
    assert first.plan is not None and len(first.plan.processor.functions) == 2
    with pytest.raises(CompileError, match="2 of 3 kernels cannot be compiled"):
        compile_program(model(), options(pool, cache=True, unsupported="error"))


def test_what_is_named_is_placed_too(pool: WorkerPool) -> None:
    replacement = {"graph-place": "graph-place{device=cpu nodes=squashed}"}
    program = compile_program(model(), options(pool, replace_passes=replacement))
    assert program.plan is not None and not program.plan.kernels
    reasons = [kernel["reason"] for kernel in program.report["processor"]["kernels"]]
    assert "placed by graph-place" in reasons


def test_sizes_that_data_say(pool: WorkerPool) -> None:
    graph = helper.make_graph(
        [helper.make_node("NonZero", ["x"], ["y"], "found")],
        "sized",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, [2, "n"])],
    )
    sized = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    with pytest.raises(PassRunError, match=r'"found".*: the data say what sizes its result has'):
        compile_program(sized, options(pool))


def test_what_is_no_choice(pool: WorkerPool) -> None:
    with pytest.raises(TargetError, match="unsupported is 'gpu', expected one of error, cpu"):
        compile_program(model(), options(pool, unsupported="gpu"))
    with pytest.raises(TargetError, match="unsupported needs a GPU as target"):
        compile_program(model(), options(pool, target="cpu"))


def test_second_device(pool: WorkerPool) -> None:
    replacement = {"graph-place": "graph-place{ops=tree_ensemble,top_k}"}
    for _, text in reasons(pool, replace_passes=replacement):
        assert text.endswith("; do not place it by graph-place")
