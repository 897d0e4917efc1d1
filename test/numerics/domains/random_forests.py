"""Random trees as attributes of ONNX's operators."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

MODES = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")


class Builder:
    """Trees of TreeEnsembleRegressor and TreeEnsembleClassifier. Thresholds are halves, as are the rows that
    `rows` makes, so that equality happens."""

    def __init__(self, seed: int, features: int, modes: tuple[str, ...], missing: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self.features, self.modes, self.missing = features, modes, missing
        self.nodes: list[tuple[int, int, int, str, float, int, int, int]] = []
        self.leaves: list[tuple[int, int]] = []

    def tree(self, tree_id: int, depth: int) -> None:
        self._node(tree_id, [0], depth)

    def _node(self, tree: int, ids: list[int], depth: int) -> int:
        own = ids[0]
        ids[0] += 1
        node_index = len(self.nodes)
        if depth == 0 or self.rng.random() < 0.15:
            self.nodes.append((tree, own, 0, "LEAF", 0.0, 0, 0, 0))
            self.leaves.append((tree, own))
            return own
        self.nodes.append((tree, own, 0, "LEAF", 0.0, 0, 0, 0))
        true, false = self._node(tree, ids, depth - 1), self._node(tree, ids, depth - 1)
        missing = int(self.missing and self.rng.random() < 0.5)
        mode = f"BRANCH_{self.rng.choice(self.modes)}"
        threshold = float(self.rng.integers(-6, 7) / 2)
        feature = int(self.rng.integers(self.features))
        self.nodes[node_index] = (tree, own, feature, mode, threshold, true, false, missing)
        return own

    def attributes(self) -> dict[str, Any]:
        """The attributes about nodes."""
        names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
        columns = list(zip(*self.nodes, strict=True))
        given = {f"nodes_{name}": list(column) for name, column in zip(names, columns, strict=False)}
        return given | {"nodes_missing_value_tracks_true": list(columns[7])}

    def weights(self, prefix: str, targets: int, per_leaf: int, low: float = -1) -> dict[str, Any]:
        """Weights of `per_leaf` targets per leaf; 0: of one, which is the tree's index modulo `targets`."""
        rows = [
            (tree, node, target, float(np.float32(self.rng.uniform(low, 1))))
            for tree, node in self.leaves
            for target in (
                [tree % targets] if per_leaf == 0 else self.rng.permutation(targets)[:per_leaf].tolist()
            )
        ]
        names = (f"{prefix}_{name}" for name in ("treeids", "nodeids", "ids", "weights"))
        return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def forest(
    seed: int, features: int, trees: int, depth: int, modes: tuple[str, ...] = ("LEQ",), missing: bool = False
) -> Builder:
    builder = Builder(seed, features, modes, missing)
    for tree_id in range(trees):
        builder.tree(tree_id, depth)
    return builder


def rows(seed: int, count: int, features: int, nan: bool = False, dtype: Any = np.float32) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = (rng.integers(-7, 8, (count, features)) / 2).astype(dtype)
    if nan:
        x[rng.random(x.shape) < 0.2] = np.nan
    return x


def linked_forest(
    seed: int, features: int, trees: int, depth: int, dtype: Any, members: bool
) -> dict[str, Any]:
    """The attributes of TreeEnsemble (version 5): full trees whose nodes refer to
    others by index, with sets if `members`."""
    rng = np.random.default_rng(seed)
    inner = (1 << depth) - 1
    count, leaves = trees * inner, trees * (1 << depth)
    local = np.tile(np.arange(inner), trees)
    tree = np.repeat(np.arange(trees), inner)
    is_last = local >= inner // 2
    children = []
    for side in (1, 2):
        below = 2 * local + side
        children.append(np.where(is_last, below - inner + tree * (1 << depth), below + tree * inner))
    modes = rng.integers(0, 7 if members else 6, count).astype(np.uint8)
    sets = [
        np.append(rng.choice(np.arange(-6, 7), rng.integers(1, 5), replace=False) / 2, np.nan)
        for _ in range(int((modes == 6).sum()))
    ]

    def tensor(name: str, values: np.ndarray) -> TensorProto:
        return helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(values.dtype), values.shape, values)

    attributes: dict[str, Any] = {
        "tree_roots": [index * inner for index in range(trees)],
        "nodes_featureids": rng.integers(0, features, count).tolist(),
        "nodes_splits": tensor("splits", (rng.integers(-6, 7, count) / 2).astype(dtype)),
        "nodes_modes": tensor("modes", modes),
        "nodes_truenodeids": children[0].tolist(),
        "nodes_falsenodeids": children[1].tolist(),
        "nodes_trueleafs": is_last.astype(int).tolist(),
        "nodes_falseleafs": is_last.astype(int).tolist(),
        "nodes_missing_value_tracks_true": rng.integers(0, 2, count).tolist(),
        "leaf_targetids": rng.integers(0, 3, leaves).tolist(),
        "leaf_weights": tensor("weights", rng.uniform(-1, 1, leaves).astype(dtype)),
        "n_targets": 3,
    }
    if sets:
        attributes["membership_values"] = tensor("members", np.concatenate(sets).astype(dtype))
    return attributes


def linked_scores(attributes: dict[str, Any], x: np.ndarray) -> np.ndarray:
    """The sums that TreeEnsemble gives, node by node as its documentation says."""
    arrays = {
        name: numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.array(value)
        for name, value in attributes.items()
    }
    values = arrays["membership_values"]
    members = iter(np.split(values, np.flatnonzero(np.isnan(values)) + 1))
    sets = {int(node_index): next(members) for node_index in np.flatnonzero(arrays["nodes_modes"] == 6)}
    scores = np.zeros((len(x), attributes["n_targets"]))
    for score, row in zip(scores, x, strict=True):
        for root in arrays["tree_roots"]:
            leaf = _find_leaf(arrays, sets, row, root)
            score[arrays["leaf_targetids"][leaf]] += arrays["leaf_weights"][leaf]
    return scores


def _find_leaf(
    arrays: dict[str, np.ndarray], sets: dict[int, np.ndarray], row: np.ndarray, node_index: int
) -> int:
    comparisons = (np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal)
    is_leaf = False
    while not is_leaf:
        mode, x = arrays["nodes_modes"][node_index], row[arrays["nodes_featureids"][node_index]]
        split = arrays["nodes_splits"][node_index]
        holds = x in sets[int(node_index)] if mode == 6 else comparisons[mode](x, split)
        holds = holds or (np.isnan(x) and arrays["nodes_missing_value_tracks_true"][node_index])
        side = "true" if holds else "false"
        is_leaf, node_index = (
            arrays[f"nodes_{side}leafs"][node_index],
            arrays[f"nodes_{side}nodeids"][node_index],
        )
    return int(node_index)
