"""From a forest to `graph.tree_ensemble`: tables, and trees in groups by target."""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.ml.feature_rows import features, with_least_features
from mlc.frontends.onnx.operators.ml.tree_attributes import Forest
from mlc.frontends.onnx.operators.ml.tree_decisions import decisions
from mlc.frontends.onnx.values import Value

_COMBINED = {"SUM": "sum", "AVERAGE": "sum", "MIN": "min", "MAX": "max"}
_NEUTRAL = {"sum": 0.0, "min": np.inf, "max": -np.inf}
_ADD = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def score(node: Node, x: Value, forest: Forest, targets: int, aggregate: str) -> Value:
    """`[N, targets]` in x's type: the weights of the leaves that the rows of x `[N, F]` reach, aggregated. A
    target for which no leaf has a weight scores 0."""
    if np.any((forest.weight_targets < 0) | (forest.weight_targets >= targets)):
        raise NodeFailure(f"a weight is for a target that is none of {targets}")
    combined = _COMBINED[aggregate]
    x = with_least_features(node, x, int(forest.features.max(initial=0)) + 1)
    weights, tables = _weights(forest, targets, combined, x.dtype), decisions(forest, x.dtype, features(x))
    roots, weights = _grouped(forest, tables.children, weights, _NEUTRAL[combined])
    values = [roots.astype(np.int32), tables.features, tables.thresholds, tables.children, weights]
    result = node.emit(
        "tree_ensemble",
        x,
        *map(node.constant, values),
        depth=tables.depth,
        nan_first=bool((tables.features < 0).any()),
        aggregate=combined,
    )
    scores = node.reshape(result, [x.shape[0], targets])
    if aggregate == "AVERAGE":
        return node.emit("div", scores, node.scalar(max(1, len(forest.roots)), scores))
    if combined == "sum" or np.isfinite(weights).all():
        return scores
    none = node.emit("equal", scores, node.scalar(_NEUTRAL[combined], scores))
    return node.emit("where", none, node.scalar(0, scores), scores)


def _weights(forest: Forest, targets: int, combined: str, dtype: np.dtype) -> np.ndarray:
    """`[leaves + 1, targets]`: a row per leaf, then one that leaves every sum or extreme as it is."""
    table = np.full((forest.leaves + 1, targets), _NEUTRAL[combined], dtype)
    known = forest.weight_leaves >= 0
    if len(forest.weights) != len(known) or len(forest.weight_targets) != len(known):
        raise NodeFailure("the attributes about weights of leaves have different lengths")
    places = forest.weight_leaves[known], forest.weight_targets[known]
    _ADD[combined].at(table, places, forest.weights[known].astype(dtype))
    return table


def _grouped(
    forest: Forest, children: np.ndarray, weights: np.ndarray, neutral: float
) -> tuple[np.ndarray, np.ndarray]:
    """Roots `[G, T]` and weights `[leaves + 1, K]` with G K targets.

    Trees whose leaves all weigh for one target are grouped by it: a row of weights then has one number.
    """
    targets, roots = weights.shape[1], forest.roots
    if targets == 1:
        return roots[None, :], weights
    owners = _owners(roots, children, weights != neutral)
    if owners is None:
        return roots[None, :], weights
    groups = [roots[owners == target] for target in range(targets)]
    longest = max(map(len, groups))
    padding = -1 - forest.leaves
    padded = [np.pad(each, (0, longest - len(each)), constant_values=padding) for each in groups]
    column = np.where(weights != neutral, weights, 0).sum(1, keepdims=True)
    column[(weights == neutral).all(1)] = neutral
    return np.stack(padded), column.astype(weights.dtype)


def _owners(roots: np.ndarray, children: np.ndarray, weighs: np.ndarray) -> np.ndarray | None:
    """For each tree the only target that its leaves weigh for (0 where they weigh for none), or None if a
    tree has several, or a leaf belongs to several trees."""
    # The trees of all nodes and leaves, level by level: children of a tree's nodes are the tree's.
    tree_of_leaf = np.full(len(weighs), -1)
    places, trees = roots, np.arange(len(roots))
    while places.size:
        is_leaf = places < 0
        leaves, owners = -1 - places[is_leaf], trees[is_leaf]
        if np.any((tree_of_leaf[leaves] >= 0) & (tree_of_leaf[leaves] != owners)):
            return None
        tree_of_leaf[leaves] = owners
        places, trees = children[places[~is_leaf]].reshape(-1), np.repeat(trees[~is_leaf], 2)
        places, first = np.unique(places, return_index=True)
        trees = trees[first]
    found = np.zeros(len(roots), np.int64)
    seen = np.full(len(roots), -1)
    for leaf, target in zip(*np.nonzero(weighs), strict=True):
        tree = tree_of_leaf[leaf]
        if tree >= 0 and seen[tree] not in (-1, target):
            return None
        if tree >= 0:
            seen[tree] = found[tree] = target
    return found
