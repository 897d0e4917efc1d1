"""Operators that GPUs cannot compute: the error names all of them, where they come from, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program
from onnx import TensorProto, helper, numpy_helper


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
        [helper.make_tensor_value_info(name, *each) for name, each in shapes.items()],
        [numpy_helper.from_array(np.array([2]), "k")],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def reasons(pool: WorkerPool, **options: object) -> list[tuple[str, str]]:
    """Of each kernel that cannot be compiled: the line that names its nodes, and the message."""
    with pytest.raises(CompileError) as caught:
        compile_program(model(), Options(cache=False, pool=pool, **options))  # type: ignore[arg-type]
    assert len(caught.value.causes) == 2
    return [(each.notes[0], each.message) for each in caught.value.causes]


def test_gpu(pool: WorkerPool) -> None:
    trees, best = sorted(reasons(pool, target="cuda:sm_80"), key=lambda each: "best" in each[0])
    assert 'loc("forest")' in trees[0] and 'loc("best")' in best[0]
    assert "thread blocks cannot compute 'graph.tree_ensemble': each row goes its own way" in trees[1]
    assert "thread blocks cannot compute 'graph.top_k': it puts one element after the other" in best[1]
    assert all(each.endswith("; compile the model for a processor") for _, each in (trees, best))


def test_second_device(pool: WorkerPool) -> None:
    place = {"graph-place": "graph-place{ops=tree_ensemble,top_k}"}
    for _, each in reasons(pool, replace_passes=place):
        assert each.endswith("; do not place it by graph-place")
