"""TreeEnsembleClassifier, TreeEnsembleRegressor, and their successor TreeEnsemble (version 5), which links
nodes by index."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.operators.ml.feature_rows import rows
from mlc.frontends.onnx.operators.ml.post_transforms import (
    apply_transform,
    class_labels,
    label_output,
    post_transform,
    sign_label,
    top_label,
    two_scores,
)
from mlc.frontends.onnx.operators.ml.tree_attributes import MODES, Forest, read_forest, read_values
from mlc.frontends.onnx.operators.ml.tree_tables import score
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("TreeEnsemble", since=5, domain=MACHINE_LEARNING)
def tree_ensemble(node: Node) -> Value:
    """Imports TreeEnsemble. Raises NodeError for attributes that do not fit."""
    x, index = rows(node), node.attr("aggregate_function", 1)
    if not 0 <= index < len(_AGGREGATES):
        raise NodeError(f"aggregate_function must be 0 to {len(_AGGREGATES) - 1}, not {index}")
    scores = score(node, x, _forest(node), int(node.attr("n_targets", 1)), _AGGREGATES[index])
    return node.cast(apply_transform(node, scores, post_transform(node)), node.input(0).onnx_type)


def _forest(node: Node) -> Forest:
    columns = {name: _integers(node, f"nodes_{name}") for name in ("truenodeids", "falsenodeids")}
    true, false = (_children(columns[f"{side}nodeids"], node, side) for side in ("true", "false"))
    modes = node.elements(node.attr("nodes_modes")).astype(np.int64).reshape(-1)
    thresholds = node.elements(node.attr("nodes_splits")).reshape(-1)
    nodes = _integers(node, "nodes_featureids")
    missing = np.asarray(node.attributes.get("nodes_missing_value_tracks_true") or [0] * len(nodes), bool)
    lengths = {len(column) for column in (true, false, modes, thresholds, nodes, missing)}
    if len(lengths) != 1:
        raise NodeError(f"the attributes about nodes have different lengths: {sorted(lengths)}")
    if modes.size and not 0 <= modes.min() <= modes.max() < len(MODES):
        raise NodeError(f"nodes_modes must be 0 to {len(MODES) - 1}")
    targets, weights = _integers(node, "leaf_targetids"), node.elements(node.attr("leaf_weights")).reshape(-1)
    roots = _integers(node, "tree_roots")
    members = _members(node, np.flatnonzero(modes == MODES.index("MEMBER")))
    indices = np.arange(len(targets))
    return Forest(
        roots,
        nodes,
        thresholds,
        modes,
        missing,
        true,
        false,
        members,
        len(targets),
        indices,
        targets,
        weights,
    )


def _integers(node: Node, name: str) -> np.ndarray:
    return np.asarray(node.attr(name), np.int64).reshape(-1)


def _children(indices: np.ndarray, node: Node, side: str) -> np.ndarray:
    leaves = _integers(node, f"nodes_{side}leafs")
    if len(leaves) != len(indices):
        raise NodeError(f"nodes_{side}leafs has {len(leaves)} entries instead of {len(indices)}")
    return np.where(leaves != 0, -1 - indices, indices)


def _members(node: Node, indices: np.ndarray) -> dict[int, np.ndarray]:
    """Returns the sets of the nodes that ask for membership, in the order of the nodes; NaN ends each set."""
    given = node.attributes.get("membership_values")
    if given is None and not indices.size:
        return {}
    values = node.elements(node.attr("membership_values")).reshape(-1)
    ends = np.flatnonzero(np.isnan(values.astype(np.float64)))
    # The last end may be left out.
    sets = [
        values_of_set[~np.isnan(values_of_set.astype(np.float64))] for values_of_set in np.split(values, ends)
    ]
    if len(sets) < len(indices):
        raise NodeError(f"membership_values has {len(sets)} sets for {len(indices)} nodes")
    return dict(zip(indices.tolist(), sets, strict=False))


_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")


@onnx_operator("TreeEnsembleRegressor", domain=MACHINE_LEARNING)
def tree_ensemble_regressor(node: Node) -> Value:
    """Imports TreeEnsembleRegressor. Raises NodeError for unknown aggregate functions."""
    aggregate = node.attr("aggregate_function", "SUM")
    if aggregate not in _AGGREGATES:
        raise NodeError(f"aggregate_function must be one of {', '.join(_AGGREGATES)}, not {aggregate!r}")
    forest, targets = read_forest(node, "target"), int(node.attr("n_targets"))
    scores = add_base_values(node, score(node, rows(node), forest, targets, aggregate), targets)
    return node.cast(apply_transform(node, scores, post_transform(node)), TensorProto.FLOAT)


def add_base_values(node: Node, scores: Value, targets: int) -> Value:
    """Returns `scores` `[N, targets]` plus base_values; a single value is the first target's. Raises
    NodeError."""
    base = read_values(node, "base_values")
    if base is None:
        return scores
    if len(base) == 1:
        node.reserve(targets)
        base = np.concatenate([base, np.zeros(targets - 1, base.dtype)])
    if len(base) != targets:
        raise NodeError(f"base_values has {len(base)} entries instead of {targets}")
    return node.emit("add", scores, node.constant(base.astype(scores.dtype)))


@onnx_operator("TreeEnsembleClassifier", domain=MACHINE_LEARNING)
def tree_ensemble_classifier(node: Node) -> tuple[Value, Value]:
    """Imports TreeEnsembleClassifier. Raises NodeError without labels."""
    labels, forest = class_labels(node, "classlabels_int64s"), read_forest(node, "class")
    if not labels:
        raise NodeError("it has no class labels")
    scores = add_base_values(node, score(node, rows(node), forest, len(labels), "SUM"), len(labels))
    label, final = _classify(node, scores, forest, labels)
    return label_output(node, label), node.cast(final, TensorProto.FLOAT)


def _classify(node: Node, scores: Value, forest: Forest, labels: list[int]) -> tuple[Value, Value]:
    """Returns labels and scores.

    The weights of two classes may all belong to one class: its score then decides.
    """
    transform, classes = post_transform(node), np.unique(forest.weight_targets)
    if len(labels) == 1:
        return sign_label(node, scores, 0, [0, 1]), apply_transform(node, scores, transform)
    if len(labels) > 2 or len(classes) != 1:
        return top_label(node, scores, labels), apply_transform(node, scores, transform)
    positive = bool(np.all(forest.weights >= 0))
    chosen = int(classes[0])
    one = node.emit("slice", scores, starts=[0, chosen], sizes=[-1, 1], steps=[1, 1])
    label = sign_label(node, one, 0.5 if positive else 0, labels)
    base = read_values(node, "base_values")
    if chosen == 1 or (base is not None and len(base) == 2):
        return label, apply_transform(node, scores, transform)
    return label, two_scores(node, one, transform, sum_is_one=positive)
