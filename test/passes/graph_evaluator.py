"""Evaluates modules of the graph dialect in NumPy: the oracle for passes on graphs.

Floats are computed in double precision whatever their type is, so that what passes change about rounding
is far smaller than what a wrong rewrite changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from evaluator_attention import ATTENTION_OPS
from evaluator_ops import OPS
from evaluator_windows import WINDOW_OPS
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.frontends.weights import Reference, WeightStore

RULES: dict[str, Callable[..., np.ndarray]] = {**OPS, **WINDOW_OPS, **ATTENTION_OPS}

# Those that the evaluator itself computes: their results follow from types and weights.
BY_TYPE = {"constant", "weight", "prepared", "full", "cast", "range"}


def evaluate(
    module: ir.Module | ir.Operation, inputs: Sequence[np.ndarray], store: WeightStore
) -> list[np.ndarray]:
    """The results of `@main` for its arguments; `store` has the bytes of its weights.

    Raises NotImplementedError that names an op without a rule.
    """
    functions = {
        each.operation.attributes["sym_name"].value: each.operation
        for each in module.operation.regions[0].blocks[0]
    }
    with np.errstate(all="ignore"):
        prepared = _run(functions["prepare"], [], store, []) if "prepare" in functions else []
        return _run(functions["main"], inputs, store, prepared)


def _run(
    function: ir.Operation, inputs: Sequence[np.ndarray], store: WeightStore, prepared: Sequence[np.ndarray]
) -> list[np.ndarray]:
    block = function.regions[0].blocks[0]
    values: dict[ir.Value, np.ndarray] = dict(
        zip(block.arguments, (_widened(array) for array in inputs), strict=True)
    )
    for each in block:
        op = each.operation
        operands = [values[value] for value in op.operands]
        if op.name == "func.return":
            return operands
        values[op.results[0]] = _result(op, operands, store, prepared)
    raise AssertionError("the function has no return")


def _result(
    op: ir.Operation, operands: list[np.ndarray], store: WeightStore, prepared: Sequence[np.ndarray]
) -> np.ndarray:
    attributes = _attributes(op)
    match op.name:
        case "graph.constant":
            return _widened(attributes["value"])
        case "graph.weight":
            return _widened(_weight(op, attributes, store))
        case "graph.prepared":
            return prepared[attributes["index"]]
        case "graph.full":
            return np.full(_shape(op, operands[0] if operands else None), attributes["value"], _dtype(op))
        case "graph.cast":
            return operands[0].astype(_dtype(op))
        case "graph.range":
            return np.arange(*operands)
    if op.name.removeprefix("graph.") not in RULES:
        raise NotImplementedError(f"the evaluator has no rule for {op.name}")
    return RULES[op.name.removeprefix("graph.")](*operands, **attributes)


def _attributes(op: ir.Operation) -> dict[str, object]:
    spec = graph.specs().get(op.name.removeprefix("graph."))
    if spec is None:
        raise NotImplementedError(f"the evaluator knows graph ops only, not {op.name}")
    return {each.name: graph.attribute(op, each.name) for each in spec.attributes}


def _weight(op: ir.Operation, attributes: Mapping[str, object], store: WeightStore) -> np.ndarray:
    reference = Reference(*(attributes[name] for name in ("source", "offset", "size", "hash")))  # type: ignore[arg-type]
    dtype = dtype_of(str(graph.element_type(op.results[0])))
    return store.buffer(reference).view(dtype).reshape(graph.shape_of(op.results[0]))


def _shape(op: ir.Operation, dims: np.ndarray | None) -> tuple[int, ...]:
    given = graph.shape_of(op.results[0])
    return tuple(dims) if dims is not None else tuple(int(dim) for dim in given)


def _dtype(op: ir.Operation) -> np.dtype:
    return _wide(dtype_of(str(graph.element_type(op.results[0]))))


def _wide(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.kind in "iub" else np.dtype(np.float64)


def _widened(array: object) -> np.ndarray:
    found = np.asarray(array)
    return found.astype(_wide(found.dtype))
