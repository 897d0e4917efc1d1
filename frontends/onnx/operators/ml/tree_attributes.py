"""Ensembles of trees as their attributes describe them, before `tree_tables` rewrites all nodes to one
form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.values import Value

# The comparison of a node; the indices are those of TreeEnsemble.
MODES = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")


@dataclass(frozen=True)
class Forest:
    """The inner nodes of trees as parallel arrays; a child or root of at least 0 is a node, else the leaf `-1
    - child`.

    `missing`: whether NaN goes to the true child. `members`: for each node of mode MEMBER its set. The
    weights are triples: leaf, target, weight.
    """

    roots: np.ndarray
    features: np.ndarray
    thresholds: np.ndarray
    modes: np.ndarray
    missing: np.ndarray
    true: np.ndarray
    false: np.ndarray
    members: dict[int, np.ndarray]
    leaves: int
    weight_leaves: np.ndarray
    weight_targets: np.ndarray
    weights: np.ndarray


def read_values(node: Node, name: str) -> np.ndarray | None:
    """Returns the attribute `name`, of floats, or that of newer versions, the tensor `<name>_as_tensor`."""
    tensor = node.attributes.get(f"{name}_as_tensor")
    if isinstance(tensor, Value):
        return node.elements(tensor).reshape(-1)
    values = node.attributes.get(name)
    return np.asarray(values, np.float32) if values else None


def _integers(node: Node, name: str) -> np.ndarray:
    return np.asarray(node.attr(name), np.int64).reshape(-1)


def _flags(node: Node, name: str, count: int) -> np.ndarray:
    values = np.asarray(node.attributes.get(name) or [0] * count, bool)
    return _same_length(name, values, count)


def _same_length(name: str, values: np.ndarray, count: int) -> np.ndarray:
    if len(values) != count:
        raise NodeError(f"{name} has {len(values)} entries instead of {count}")
    return values


def _node_indices(
    keys: Sequence[tuple[int, int]], index_by_key: dict[tuple[int, int], int], what: str
) -> np.ndarray:
    try:
        return np.array([index_by_key[key] for key in keys], np.int64)
    except KeyError as error:
        tree, node_id = error.args[0]
        raise NodeError(f"{what} names node {node_id} of tree {tree}, which does not exist") from None


def read_forest(node: Node, weights: str) -> Forest:
    """Returns the forest of TreeEnsembleClassifier and TreeEnsembleRegressor, whose nodes are named by tree
    and node id.

    `weights` begins the names of the attributes about leaves. Raises `NodeError`.
    """
    trees, ids = _integers(node, "nodes_treeids").tolist(), _integers(node, "nodes_nodeids").tolist()
    count = len(trees)
    named = [str(mode, "utf-8") if isinstance(mode, bytes) else mode for mode in node.attr("nodes_modes")]
    is_leaf = np.array([_same_length("nodes_modes", np.array(named), count) == "LEAF"]).reshape(-1)
    # Leaves count down from -1, inner nodes up from 0.
    node_indices = np.where(is_leaf, -np.cumsum(is_leaf), np.cumsum(~is_leaf) - 1)
    by_name = dict(zip(zip(trees, ids, strict=True), node_indices.tolist(), strict=True))
    if len(by_name) != count:
        raise NodeError("nodes_treeids and nodes_nodeids name a node twice")
    first = dict(zip(reversed(trees), reversed(node_indices.tolist()), strict=True))
    inner = np.flatnonzero(~is_leaf)
    modes = _modes([named[i] for i in inner])
    thresholds = read_values(node, "nodes_values")
    thresholds = np.zeros(count, np.float32) if thresholds is None else thresholds

    def children(name: str) -> np.ndarray:
        """Returns the children that the attribute `name` holds."""
        targets = _same_length(name, _integers(node, name), count).tolist()
        return _node_indices([(trees[i], targets[i]) for i in inner], by_name, name)

    targets = _integers(node, f"{weights}_treeids").tolist(), _integers(node, f"{weights}_nodeids").tolist()
    weight_values = read_values(node, f"{weights}_weights")
    return Forest(
        np.array(list(first.values()), np.int64),
        _same_length("nodes_featureids", _integers(node, "nodes_featureids"), count)[inner],
        _same_length("nodes_values", thresholds, count)[inner],
        modes,
        _flags(node, "nodes_missing_value_tracks_true", count)[inner],
        children("nodes_truenodeids"),
        children("nodes_falsenodeids"),
        {},
        int(is_leaf.sum()),
        _weighted_leaves(_node_indices(list(zip(*targets, strict=True)), by_name, f"{weights}_nodeids")),
        _integers(node, f"{weights}_ids"),
        np.zeros(0, np.float32) if weight_values is None else weight_values,
    )


def _modes(names: Sequence[str]) -> np.ndarray:
    known = {f"BRANCH_{name}": index for index, name in enumerate(MODES[:-1])}
    unknown = sorted(set(names) - known.keys())
    if unknown:
        raise NodeError(f"nodes_modes has {unknown[0]!r}, which is none of LEAF, {', '.join(known)}")
    return np.array([known[name] for name in names], np.int64)


def _weighted_leaves(indices: np.ndarray) -> np.ndarray:
    """Returns indices of leaves; the weight of an inner node is ignored, since no row ends there."""
    return np.where(indices < 0, -1 - indices, -1)
