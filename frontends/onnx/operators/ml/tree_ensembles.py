"""TreeEnsembleClassifier and TreeEnsembleRegressor; `tree_ensemble` has what came after them.

TreeEnsemble (version 5), whose trees are linked by the places of nodes and leaves.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.operators.ml.feature_rows import rows
from mlc.frontends.onnx.operators.ml.post_transforms import (
    class_labels,
    label_output,
    post_transform,
    sign_label,
    top_label,
    transformed,
    two_scores,
)
from mlc.frontends.onnx.operators.ml.tree_attributes import MODES, Forest, numbers, read_forest
from mlc.frontends.onnx.operators.ml.tree_tables import score
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("TreeEnsemble", since=5, domain=MACHINE_LEARNING)
def tree_ensemble(node: Node) -> Value:
    x, number = rows(node), node.attr("aggregate_function", 1)
    if not 0 <= number < len(_AGGREGATES):
        raise NodeError(f"aggregate_function must be 0 to {len(_AGGREGATES) - 1}, not {number}")
    scores = score(node, x, _forest(node), int(node.attr("n_targets", 1)), _AGGREGATES[number])
    return node.cast(transformed(node, scores, post_transform(node)), node.input(0).number)


def _forest(node: Node) -> Forest:
    columns = {name: _integers(node, f"nodes_{name}") for name in ("truenodeids", "falsenodeids")}
    true, false = (_children(columns[f"{side}nodeids"], node, side) for side in ("true", "false"))
    modes = node.elements(node.attr("nodes_modes")).astype(np.int64).reshape(-1)
    thresholds = node.elements(node.attr("nodes_splits")).reshape(-1)
    nodes = _integers(node, "nodes_featureids")
    missing = np.asarray(node.attributes.get("nodes_missing_value_tracks_true") or [0] * len(nodes), bool)
    lengths = {len(each) for each in (true, false, modes, thresholds, nodes, missing)}
    if len(lengths) != 1:
        raise NodeError(f"the attributes about nodes have different lengths: {sorted(lengths)}")
    if modes.size and not 0 <= modes.min() <= modes.max() < len(MODES):
        raise NodeError(f"nodes_modes must be 0 to {len(MODES) - 1}")
    targets, weights = _integers(node, "leaf_targetids"), node.elements(node.attr("leaf_weights")).reshape(-1)
    roots = _integers(node, "tree_roots")
    members = _members(node, np.flatnonzero(modes == MODES.index("MEMBER")))
    places = np.arange(len(targets))
    return Forest(
        roots, nodes, thresholds, modes, missing, true, false, members, len(targets), places, targets, weights
    )


def _integers(node: Node, name: str) -> np.ndarray:
    return np.asarray(node.attr(name), np.int64).reshape(-1)


def _children(places: np.ndarray, node: Node, side: str) -> np.ndarray:
    leaves = _integers(node, f"nodes_{side}leafs")
    if len(leaves) != len(places):
        raise NodeError(f"nodes_{side}leafs has {len(leaves)} entries instead of {len(places)}")
    return np.where(leaves != 0, -1 - places, places)


def _members(node: Node, places: np.ndarray) -> dict[int, np.ndarray]:
    """The sets of the nodes that ask for membership, in the order of the nodes; NaN ends each set."""
    given = node.attributes.get("membership_values")
    if given is None and not places.size:
        return {}
    values = node.elements(node.attr("membership_values")).reshape(-1)
    ends = np.flatnonzero(np.isnan(values.astype(np.float64)))
    # The last end may be left out.
    sets = [each[~np.isnan(each.astype(np.float64))] for each in np.split(values, ends)]
    if len(sets) < len(places):
        raise NodeError(f"membership_values has {len(sets)} sets for {len(places)} nodes")
    return dict(zip(places.tolist(), sets, strict=False))


_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")


@onnx_operator("TreeEnsembleRegressor", domain=MACHINE_LEARNING)
def tree_ensemble_regressor(node: Node) -> Value:
    aggregate = node.attr("aggregate_function", "SUM")
    if aggregate not in _AGGREGATES:
        raise NodeError(f"aggregate_function must be one of {', '.join(_AGGREGATES)}, not {aggregate!r}")
    forest, targets = read_forest(node, "target"), int(node.attr("n_targets"))
    scores = based(node, score(node, rows(node), forest, targets, aggregate), targets)
    return node.cast(transformed(node, scores, post_transform(node)), TensorProto.FLOAT)


def based(node: Node, scores: Value, targets: int) -> Value:
    """`scores` `[N, targets]` plus base_values; one number is the first target's."""
    base = numbers(node, "base_values")
    if base is None:
        return scores
    if len(base) == 1:
        base = np.concatenate([base, np.zeros(targets - 1, base.dtype)])
    if len(base) != targets:
        raise NodeError(f"base_values has {len(base)} entries instead of {targets}")
    return node.emit("add", scores, node.constant(base.astype(scores.dtype)))


@onnx_operator("TreeEnsembleClassifier", domain=MACHINE_LEARNING)
def tree_ensemble_classifier(node: Node) -> tuple[Value, Value]:
    labels, forest = class_labels(node, "classlabels_int64s"), read_forest(node, "class")
    if not labels:
        raise NodeError("it has no class labels")
    scores = based(node, score(node, rows(node), forest, len(labels), "SUM"), len(labels))
    label, final = _classified(node, scores, forest, labels)
    return label_output(node, label), node.cast(final, TensorProto.FLOAT)


def _classified(node: Node, scores: Value, forest: Forest, labels: list[int]) -> tuple[Value, Value]:
    """Labels and scores. The weights of two classes may all be one class's: its score then decides."""
    transform, classes = post_transform(node), np.unique(forest.weight_targets)
    if len(labels) == 1:
        return sign_label(node, scores, 0, [0, 1]), transformed(node, scores, transform)
    if len(labels) > 2 or len(classes) != 1:
        return top_label(node, scores, labels), transformed(node, scores, transform)
    positive = bool(np.all(forest.weights >= 0))
    chosen = int(classes[0])
    one = node.emit("slice", scores, starts=[0, chosen], sizes=[-1, 1], steps=[1, 1])
    label = sign_label(node, one, 0.5 if positive else 0, labels)
    base = numbers(node, "base_values")
    if chosen == 1 or (base is not None and len(base) == 2):
        return label, transformed(node, scores, transform)
    return label, two_scores(node, one, transform, sum_is_one=positive)
