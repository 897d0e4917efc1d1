"""Ensembles of decision trees."""

from __future__ import annotations

from mlc.dialects.graph.elements import ElementClass
from mlc.dialects.graph.shape_rules import check_rank, merge
from mlc.dialects.graph.sizes import falls_below
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family("trees", "Decision trees, as tables of their nodes.")

_FLOATS = ElementClass("f32 or f64", frozenset({"f32", "f64"}))
_INDICES = ElementClass("i32", frozenset({"i32"}))


def _tree_ensemble(call: OpCall) -> GraphTensor:
    for name, rank in (("x", 2), ("roots", 2), ("features", 1), ("thresholds", 1), ("children", 1)):
        check_rank(name, call[name], rank)
    check_rank("weights", call.weights, 2)
    nodes = merge("thresholds", call.features.shape[0], call.thresholds.shape[0], "number of nodes differs")
    merge("children", nodes, call.children.shape[0], "number of nodes differs")
    for name, axis in (("x", 1), ("features", 0), ("weights", 0)):
        count = call[name].shape[axis]
        if count is not None and falls_below(count, 1):
            raise ShapeError(name, f"is empty: {call[name]}")
    leaves = call.weights.shape[0]
    if nodes is not None and leaves is not None and falls_below(nodes - leaves, 0):
        raise ShapeError("features", f"has fewer elements than there are leaves: {nodes} against {leaves}")
    if call.depth < 0:
        raise ShapeError("depth", f"{call.depth} is negative")
    return GraphTensor((call.x.shape[0], call.roots.shape[0], call.weights.shape[1]), call.weights.element)


define(
    OpSpec(
        "tree_ensemble",
        FAMILY,
        "the weights of the leaves that each row reaches in each tree, combined over the trees",
        "x `[N, F]`, roots `[G, T]`, features, thresholds and children `[leaves + nodes]`, weights "
        "`[leaves, K]`, result `[N, G, K]` with weights' elements: G ensembles of T trees each, which "
        "share the tables. Node i, a leaf if i is negative, is the element `leaves + i` of a table. A row "
        "goes from node i on to node `children[leaves + i]` where `x[n, features[leaves + i]] <= "
        "thresholds[leaves + i]`, else, and if either is NaN, to the node after it. Leaves lead to "
        "themselves: to the node after `i - 1`, by a comparison with NaN. `depth` is the most nodes on a "
        "path to a leaf. If the tables are not `checked`, indices outside of them are clamped, and paths "
        "end after `depth` nodes.",
        ("TreeEnsemble, TreeEnsembleClassifier, TreeEnsembleRegressor",),
        (
            OperandSpec("x", _FLOATS),
            OperandSpec("roots", _INDICES),
            OperandSpec("features", _INDICES),
            OperandSpec("thresholds", _FLOATS, like="x"),
            OperandSpec("children", _INDICES),
            OperandSpec("weights", _FLOATS),
        ),
        _tree_ensemble,
        (
            Attribute("depth", "int", "the most nodes on a path from a root to a leaf"),
            Attribute("aggregate", "str", "how trees are combined", "sum", ("sum", "min", "max")),
            Attribute("checked", "bool", "all indices are in the tables, and all paths end", False),
        ),
    )
)
