"""Trees of ai.onnx.ml: the tables that they become, and what is wrong with a model's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mlc.dialects.graph import attribute
from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

# One tree: x[0] <= 0.5 leads to leaf 1, else x[1] > 2 to leaf 3, else to leaf 4.
TREE: dict[str, Any] = {
    "nodes_treeids": [0] * 5,
    "nodes_nodeids": [0, 1, 2, 3, 4],
    "nodes_featureids": [0, 0, 1, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
    "nodes_values": [0.5, 0, 2, 0, 0],
    "nodes_truenodeids": [1, 0, 3, 0, 0],
    "nodes_falsenodeids": [2, 0, 4, 0, 0],
    "target_treeids": [0] * 3,
    "target_nodeids": [1, 3, 4],
    "target_ids": [0] * 3,
    "target_weights": [1.0, 2.0, 3.0],
    "n_targets": 1,
}
LABELS = {"classlabels_strings": ["a", "b", "c"]}


def model(op: str = "TreeEnsembleRegressor", used: Sequence[str] = ("y",), **changes: Any) -> onnx.ModelProto:
    given = {name: value for name, value in (TREE | changes).items() if value is not None}
    if op == "TreeEnsembleClassifier":
        given = {
            name.replace("target_", "class_"): value for name, value in given.items() if name != "n_targets"
        }
    names = ["y", "z"] if op == "TreeEnsembleClassifier" else ["y"]
    node = helper.make_node(op, ["x"], names, name="trees", domain="ai.onnx.ml", **given)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 2])
    infos = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in used]
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(helper.make_graph([node], "g", [x], infos), opset_imports=imports, ir_version=10)


def table(proto: onnx.ModelProto, operand: int) -> list[Any]:
    imported = import_model(proto)
    (main,) = imported.module.body.operations
    (op,) = [op.operation for op in main.body.blocks[0] if op.operation.name == "graph.tree_ensemble"]
    return attribute(op.operands[operand].owner.operation, "value").tolist()


def table_without_nan(proto: onnx.ModelProto, operand: int) -> list[Any]:
    return [None if np.isnan(value) else value for value in table(proto, operand)]


def test_leaves_lead_to_themselves_and_children_are_neighbours() -> None:
    """Four leaves, the last one of no tree, then nodes: the root, one that stands for the leaf beside the
    other node, and the other node."""
    assert table(model(), 1) == [[0]]
    # x > 2 is -x <= -p, p the next float: NaN, which is not above 2, goes to the second child. The columns
    # that the nodes read are -x[1] and x[0].
    above = float(np.nextafter(np.float32(2), np.float32(np.inf)))
    assert table(model(), 2) == [0, 0, 0, 0, 1, 0, 0]
    # A comparison with NaN leads to the node after the child.
    assert table_without_nan(model(), 3) == [None, None, None, None, 0.5, None, -above]
    assert table(model(), 4) == [-5, -4, -3, -2, 1, -5, -3]
    assert table(model(), 5) == [[1.0], [2.0], [3.0], [0.0]]


def test_equality_is_two_decisions() -> None:
    changed = model(nodes_modes=["BRANCH_EQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"])
    below = [float(np.nextafter(np.float32(threshold), np.float32(-np.inf))) for threshold in (0.5, 2)]
    assert table(changed, 2) == [0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert table_without_nan(changed, 3) == [None] * 4 + [0.5, below[0], below[1], None, None]
    # Node 2 is the second child of both decisions: beside the leaf, node 3 leads to it.
    assert table(changed, 4) == [-5, -4, -3, -2, 1, 3, -3, 1, -5]


def test_trees_of_one_target_each_are_groups() -> None:
    both = {
        name: value * 2
        for name, value in TREE.items()
        if name.startswith("nodes_") or name in ("target_nodeids", "target_weights")
    }
    trees = {"nodes_treeids": [0] * 5 + [1] * 5, "target_treeids": [0] * 3 + [1] * 3}
    proto = model(**both | trees, target_ids=[0] * 3 + [1] * 3, n_targets=2)
    assert table(proto, 1) == [[3], [0]]
    assert table(proto, 5) == [[1.0], [2.0], [3.0], [1.0], [2.0], [3.0], [0.0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes_truenodeids": [0, 0, 3, 0, 0]}, "the nodes of a tree lead back to themselves"),
        ({"nodes_truenodeids": [9, 0, 3, 0, 0]}, "nodes_truenodeids names node 9 of tree 0"),
        ({"nodes_featureids": [0, 0, 2, 0, 0]}, "a feature that the 2 of the input do not have"),
        ({"nodes_nodeids": [0, 1, 1, 3, 4]}, "name a node twice"),
        ({"nodes_modes": ["BRANCH_NOT", *TREE["nodes_modes"][1:]]}, "nodes_modes has 'BRANCH_NOT'"),
        ({"nodes_values": [0.5]}, "nodes_values has 1 entries instead of 5"),
        ({"target_ids": [0, 1, 0]}, "a weight is for a target that is none of 1"),
        ({"target_weights": [1.0]}, "the attributes about weights of leaves have different lengths"),
        ({"base_values": [1.0, 2.0]}, "base_values has 2 entries instead of 1"),
        ({"aggregate_function": "MEDIAN"}, "aggregate_function must be one of"),
        ({"post_transform": "CUBE"}, "post_transform must be one of"),
    ],
)
def test_wrong_trees_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=f"node 'trees' .TreeEnsembleRegressor.: .*{message}"):
        import_model(model(**changes))


def test_labels_may_be_strings() -> None:
    imported = import_model(model("TreeEnsembleClassifier", ["y", "z"], **LABELS))
    (main,) = imported.module.body.operations
    assert [str(result.element_type) for result in main.type.results] == ["!graph.string", "f32"]
    assert import_model(model("TreeEnsembleClassifier", ["z"], **LABELS)).outputs == ("z",)
