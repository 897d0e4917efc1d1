"""Tables of `graph.tree_ensemble` from a forest.

All nodes get one form: whether a feature is at most a threshold. `x < t` is `x <= p` with p the next float
below t, and `x > t` is `x <= t` with the children exchanged. Equality and membership in a set become a search
tree over the set's bounds. NaN goes to the second child; where it goes to the first one, `x <= t` is
`-x <= -p` with the children exchanged and p the next float above t, and the kernel reads a column of -x.
Trees whose leaves weigh for one target are grouped by it. `tree_layout` orders nodes and leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.ml.feature_rows import features, with_least_features
from mlc.frontends.onnx.operators.ml.tree_attributes import MODES, Forest
from mlc.frontends.onnx.operators.ml.tree_layout import Layout, lay_out
from mlc.frontends.onnx.values import Value

_LEQ, _LT, _GTE, _GT, _EQ, _NEQ, _MEMBER = range(len(MODES))


@dataclass(frozen=True)
class Decisions:
    """The tables of `graph.tree_ensemble`, and where they have the forest's nodes and leaves; `depth` is the
    largest number of nodes on a path to a leaf, `pairs` has the children of each node of the forest, `[nodes,
    2]`.

    Where nodes negate columns of x, `columns` has those that all nodes read, and `signs` 1 or -1 for each.
    """

    features: np.ndarray
    thresholds: np.ndarray
    children: np.ndarray
    depth: int
    layout: Layout
    pairs: np.ndarray
    columns: np.ndarray | None = None
    signs: np.ndarray | None = None


@dataclass
class _Table:
    """Columns of nodes that can grow, since sets need more nodes."""

    features: list[int]
    thresholds: list[float]
    nan_first: list[bool]
    first: list[int]
    second: list[int]

    def set(self, index: int, feature: int, threshold: float, nan_first: bool, pair: tuple[int, int]) -> None:
        """Writes the node `index`, with its children `pair`."""
        self.features[index], self.thresholds[index] = feature, threshold
        self.nan_first[index] = nan_first
        self.first[index], self.second[index] = pair

    def new(self) -> int:
        """Adds a node and returns its index."""
        for column in (self.features, self.first, self.second):
            column.append(0)
        self.thresholds.append(0.0)
        self.nan_first.append(False)
        return len(self.features) - 1


def decisions(forest: Forest, dtype: np.dtype, features: int) -> Decisions:
    """Returns the forest's tables for rows of `features` elements of type `dtype`. Raises `NodeError`."""
    if np.any((forest.features < 0) | (forest.features >= features)):
        raise NodeError(f"nodes_featureids names a feature that the {features} of the input do not have")
    thresholds = forest.thresholds.astype(dtype)
    below = np.nextafter(thresholds, dtype.type(-np.inf))
    # Nothing is below minus infinity: no value is at most NaN.
    below[np.isneginf(thresholds)] = np.nan
    strict = np.isin(forest.modes, (_LT, _GTE))
    swapped = np.isin(forest.modes, (_GTE, _GT)) & ~np.isnan(thresholds)
    table = _Table(
        forest.features.tolist(),
        np.where(strict, below, thresholds).tolist(),
        (forest.missing ^ swapped).tolist(),
        np.where(swapped, forest.false, forest.true).tolist(),
        np.where(swapped, forest.true, forest.false).tolist(),
    )
    for index in np.flatnonzero(forest.modes >= _EQ).tolist():
        _expand_set(table, forest, index, thresholds)
    return _pack(table, forest, dtype)


def _expand_set(table: _Table, forest: Forest, index: int, thresholds: np.ndarray) -> None:
    """Rewrites node `index`, which asks for equality or membership, to a search tree rooted there."""
    mode, dtype = forest.modes[index], thresholds.dtype
    inside, outside = int(forest.true[index]), int(forest.false[index])
    if mode == _NEQ:
        inside, outside = outside, inside
    members = forest.members[index] if mode == _MEMBER else thresholds[index : index + 1]
    bounds: list[float] = []
    ends: list[int] = []
    for member in np.unique(members[~np.isnan(members)].astype(dtype)):
        before = np.nextafter(member, dtype.type(-np.inf))
        # There is no gap before minus infinity, nor between adjacent floats.
        if before < member and not (bounds and bounds[-1] == before):
            bounds.append(float(before))
            ends.append(outside)
        bounds.append(float(member))
        ends.append(inside)
    nan_inside = bool(forest.missing[index]) and mode != _NEQ
    feature = int(forest.features[index])
    if not bounds:
        table.set(index, feature, float("nan"), nan_inside, (inside, outside))
        return
    ends.append(outside)
    nan_end = ends.index(inside) if nan_inside else len(ends) - 1
    _search(table, feature, bounds, ends, nan_end, index)


def _search(
    table: _Table, feature: int, bounds: list[float], ends: list[int], nan_end: int, index: int
) -> int:
    """Builds a balanced search tree at `index`: `ends[i]` where x is at most `bounds[i]`, the last one else.

    NaN goes to `ends[nan_end]`. Returns the root.
    """
    if not bounds:
        return ends[0]
    middle = len(bounds) // 2
    first = _search(
        table, feature, bounds[:middle], ends[: middle + 1], nan_end, table.new() if middle else -1
    )
    rest = bounds[middle + 1 :]
    after = nan_end - middle - 1
    second = _search(table, feature, rest, ends[middle + 1 :], after, table.new() if rest else -1)
    table.set(index, feature, bounds[middle], nan_end <= middle, (first, second))
    return index


def _pack(table: _Table, forest: Forest, dtype: np.dtype) -> Decisions:
    children = np.array([table.first, table.second], np.int64).T.reshape(-1, 2)
    _check(children, forest)
    features, thresholds = np.array(table.features, np.int64), np.array(table.thresholds, dtype)
    nan_first = np.array(table.nan_first, bool)
    # Only NaN goes to the first child: all others are at most infinity, and go there if it is the second one.
    only_nan = np.isnan(thresholds) & nan_first
    children[nan_first] = children[nan_first, ::-1]
    negated = nan_first & ~only_nan
    above = np.nextafter(thresholds, dtype.type(np.inf))
    # Nothing is above infinity.
    above[np.isposinf(thresholds)] = np.nan
    thresholds = np.where(negated, -above, np.where(only_nan, np.inf, thresholds)).astype(dtype)
    columns = signs = None
    if negated.any():
        signs, columns, features = _columns(features, negated)
    # A row of weights that no leaf has is the last one: it is that of trees that are missing in a group.
    layout = lay_out(forest.roots, children, forest.leaves + 1)
    # A comparison with NaN leads to the second child.
    features, thresholds = np.append(features, 0)[layout.nodes], np.append(thresholds, np.nan)[layout.nodes]
    return Decisions(
        features.astype(np.int32),
        thresholds.astype(dtype),
        layout.children.astype(np.int32),
        _depth(layout.renumber(forest.roots), layout.children, thresholds, forest.leaves + 1),
        layout,
        children,
        columns,
        signs,
    )


def _columns(features: np.ndarray, negated: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the signs and the features that nodes read, each pair once, and the pair of each node."""
    pairs = np.stack([np.where(negated, -1, 1), features])
    (signs, columns), nodes = np.unique(pairs, axis=1, return_inverse=True)
    return signs, columns, nodes.reshape(-1)


def _check(children: np.ndarray, forest: Forest) -> None:
    for nodes in (children, forest.roots):
        if nodes.size and (nodes.max() >= len(children) or nodes.min() < -forest.leaves):
            raise NodeError("a tree names a node or leaf that does not exist")


def _depth(roots: np.ndarray, children: np.ndarray, thresholds: np.ndarray, leaves: int) -> int:
    """Returns the largest number of nodes on a path from a root to a leaf. Raises `NodeError` for cycles."""
    level = np.unique(roots[roots >= 0])
    for depth in range(len(children) + 1):
        if not level.size:
            return depth
        first, threshold = children[leaves + level], thresholds[leaves + level]
        level = np.unique(np.concatenate([first[~np.isnan(threshold)], first + 1]))
        level = level[level >= 0]
    raise NodeError("the nodes of a tree lead back to themselves")


_COMBINED = {"SUM": "sum", "AVERAGE": "sum", "MIN": "min", "MAX": "max"}
_NEUTRAL = {"sum": 0.0, "min": np.inf, "max": -np.inf}
_ADD = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def score(node: Node, x: Value, forest: Forest, targets: int, aggregate: str) -> Value:
    """Returns `[N, targets]` in x's type: the aggregated weights of the leaves that the rows of x `[N, F]`
    reach.

    A target without weights scores 0. Raises NodeError for a forest that does not fit.
    """
    if np.any((forest.weight_targets < 0) | (forest.weight_targets >= targets)):
        raise NodeError(f"a weight is for a target that is none of {targets}")
    node.check_repetitions(targets)
    node.reserve(forest.leaves + 1, targets)
    combined = _COMBINED[aggregate]
    x = with_least_features(node, x, int(forest.features.max(initial=0)) + 1)
    weights, tables = _weights(forest, targets, combined, x.dtype), decisions(forest, x.dtype, features(x))
    if tables.columns is not None:
        read = node.emit("gather", x, node.constant(tables.columns, np.int32), axis=1)
        x = node.emit("mul", read, node.constant(tables.signs, x.dtype))
    roots, weights = _group(forest, tables.pairs, weights, _NEUTRAL[combined])
    weights[tables.layout.rows] = weights.copy()
    roots = tables.layout.renumber(roots).astype(np.int32)
    values = [roots, tables.features, tables.thresholds, tables.children, weights]
    result = node.emit(
        "tree_ensemble",
        x,
        *map(node.constant, values),
        depth=tables.depth,
        aggregate=combined,
        checked=True,
    )
    scores = node.reshape(result, [x.shape[0], targets])
    if aggregate == "AVERAGE":
        return node.emit("div", scores, node.scalar(max(1, len(forest.roots)), scores))
    if combined == "sum" or np.isfinite(weights).all():
        return scores
    none = node.emit("equal", scores, node.scalar(_NEUTRAL[combined], scores))
    return node.emit("where", none, node.scalar(0, scores), scores)


def _weights(forest: Forest, targets: int, combined: str, dtype: np.dtype) -> np.ndarray:
    """Returns `[leaves + 1, targets]`: a row per leaf, then one with the identity of the aggregation."""
    table = np.full((forest.leaves + 1, targets), _NEUTRAL[combined], dtype)
    known = forest.weight_leaves >= 0
    if len(forest.weights) != len(known) or len(forest.weight_targets) != len(known):
        raise NodeError("the attributes about weights of leaves have different lengths")
    indices = forest.weight_leaves[known], forest.weight_targets[known]
    _ADD[combined].at(table, indices, forest.weights[known].astype(dtype))
    return table


def _group(
    forest: Forest, children: np.ndarray, weights: np.ndarray, neutral: float
) -> tuple[np.ndarray, np.ndarray]:
    """Returns roots `[G, T]`, nodes and leaves of the forest, and weights `[leaves + 1, K]` with G K targets.

    Trees whose leaves all weigh for one target are grouped by it: a row of weights then has one element.
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
    padded = [np.pad(group, (0, longest - len(group)), constant_values=padding) for group in groups]
    column = np.where(weights != neutral, weights, 0).sum(1, keepdims=True)
    column[(weights == neutral).all(1)] = neutral
    return np.stack(padded), column.astype(weights.dtype)


def _owners(roots: np.ndarray, children: np.ndarray, weighs: np.ndarray) -> np.ndarray | None:
    """Returns for each tree the only target that its leaves weigh for (0 where they weigh for none).

    None if a tree has several targets, or a leaf belongs to several trees.
    """
    # The trees of all nodes and leaves, level by level: children of a tree's nodes belong to the tree.
    tree_of_leaf = np.full(len(weighs), -1)
    nodes, trees = roots, np.arange(len(roots))
    while nodes.size:
        is_leaf = nodes < 0
        leaves, owners = -1 - nodes[is_leaf], trees[is_leaf]
        if np.any((tree_of_leaf[leaves] >= 0) & (tree_of_leaf[leaves] != owners)):
            return None
        tree_of_leaf[leaves] = owners
        nodes, trees = children[nodes[~is_leaf]].reshape(-1), np.repeat(trees[~is_leaf], 2)
        nodes, first = np.unique(nodes, return_index=True)
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
