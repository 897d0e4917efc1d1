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
    for name, rank in (("x", 2), ("roots", 2), ("features", 1), ("thresholds", 1), ("children", 2)):
        check_rank(name, call[name], rank)
    check_rank("weights", call.weights, 2)
    nodes = merge("thresholds", call.features.shape[0], call.thresholds.shape[0], "number of nodes differs")
    merge("children", nodes, call.children.shape[0], "number of nodes differs")
    merge("children", 2, call.children.shape[1], "number of children of a node differs")
    for name, axis in (("x", 1), ("features", 0), ("weights", 0)):
        count = call[name].shape[axis]
        if count is not None and falls_below(count, 1):
            raise ShapeError(name, f"is empty: {call[name]}")
    if call.depth < 0:
        raise ShapeError("depth", f"{call.depth} is negative")
    return GraphTensor((call.x.shape[0], call.roots.shape[0], call.weights.shape[1]), call.weights.element)


define(
    OpSpec(
        "tree_ensemble",
        FAMILY,
        "the weights of the leaves that each row reaches in each tree, combined over the trees",
        "x `[N, F]`, roots `[G, T]`, features and thresholds `[nodes]`, children `[nodes, 2]`, weights "
        "`[leaves, K]`, result `[N, G, K]` with weights' elements: G ensembles of T trees each, which share "
        "the tables. At node i a row goes on to `children[i, 0]` where `x[n, features[i]] <= thresholds[i]`, "
        "else, and if either is NaN, to `children[i, 1]`. A negative child or root is the leaf `-1 - child`. "
        "`depth` is the most decisions on a path to a leaf. Indices outside the tables are clamped.",
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
            Attribute("depth", "int", "the most decisions on a path from a root to a leaf"),
            Attribute("aggregate", "str", "how trees are combined", "sum", ("sum", "min", "max")),
        ),
    )
)
