"""Evaluates modules of the graph dialect in NumPy: the oracle for passes on graphs.

Floats are computed in double precision whatever their type is, so that what passes change about rounding
is far smaller than what a wrong rewrite changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from evaluator_attention import ATTENTION_OPS
from evaluator_indexed import INDEXED_OPS
from evaluator_ops import CHECKS, OPS
from evaluator_quantisation import QUANTISATION_OPS, quantize
from evaluator_windows import WINDOW_OPS
from evaluator_winograd import WINOGRAD_OPS

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.frontends.weights.store import Reference, WeightStore

RULES: dict[str, Callable[..., Any]] = {
    **OPS,
    **CHECKS,
    **INDEXED_OPS,
    **WINDOW_OPS,
    **WINOGRAD_OPS,
    **ATTENTION_OPS,
    **QUANTISATION_OPS,
}

# Those that the evaluator itself computes: their results follow from types, weights and bodies.
BY_TYPE = {"constant", "weight", "prepared", "full", "cast", "range", "quantize_linear"}
CONTROL = {"if", "loop", "yield"}


def evaluate(
    module: ir.Module | ir.Operation, inputs: Sequence[np.ndarray], store: WeightStore
) -> list[np.ndarray]:
    """The results of `@main` for its arguments; `store` has the bytes of its weights.

    Raises NotImplementedError that names an op without a rule.
    """
    blocks = {
        op.operation.attributes["sym_name"].value: op.operation.regions[0].blocks[0]
        for op in module.operation.regions[0].blocks[0]
    }
    with np.errstate(all="ignore"):
        prepared = Evaluator(store, []).block(blocks["prepare"], []) if "prepare" in blocks else []
        return Evaluator(store, prepared).block(blocks["main"], [_widen(array) for array in inputs])


class Evaluator:
    """Evaluates blocks; `values` are those of the blocks around, too."""

    def __init__(self, store: WeightStore, prepared: Sequence[np.ndarray]) -> None:
        self.store = store
        self.prepared = prepared
        self.values: dict[ir.Value, np.ndarray] = {}

    def block(self, block: ir.Block, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Evaluates a block; returns the operands of its terminator."""
        self.values.update(zip(block.arguments, arguments, strict=True))
        for op in [op.operation for op in block]:
            operands = [self.values[value] for value in op.operands]
            if op.name in ("func.return", "graph.yield"):
                return operands
            self.values.update(zip(op.results, self.results(op, operands), strict=True))
        raise AssertionError("the block has no terminator")

    def results(self, op: ir.Operation, operands: list[np.ndarray]) -> list[np.ndarray]:
        match op.name:
            case "graph.if":
                return self.block(op.regions[0 if operands[0] else 1].blocks[0], [])
            case "graph.loop":
                return self.loop(op.regions[0].blocks[0], *operands)
        found = self.result(op, operands)
        return list(found) if isinstance(found, tuple) else [found]

    def loop(
        self, body: ir.Block, trips: np.ndarray, condition: np.ndarray, *carried: np.ndarray
    ) -> list[np.ndarray]:
        """At least one iteration must run where values are scanned: their shape is not known before."""
        current, scanned, iteration = list(carried), [], 0
        while iteration < trips and condition:
            condition, *found = self.block(body, [np.array(iteration), condition, *current])
            current = found[: len(carried)]
            scanned.append(found[len(carried) :])
            iteration += 1
        return [*current, *(np.stack(arrays) for arrays in zip(*scanned, strict=True))]

    def result(self, op: ir.Operation, operands: list[np.ndarray]) -> Any:
        """Returns an array, or a tuple of them if the op has several results."""
        attributes = _attributes(op)
        match op.name:
            case "graph.constant":
                return _widen(attributes["value"])
            case "graph.weight":
                return _widen(_weight(op, attributes, self.store))
            case "graph.prepared":
                return self.prepared[attributes["index"]]
            case "graph.full":
                return np.full(_shape(op, *operands), attributes["value"], _dtype(op))
            case "graph.cast":
                return operands[0].astype(_dtype(op))
            case "graph.quantize_linear":
                return quantize(dtype_of(str(graph.element_type(op.results[0]))), *operands, **attributes)
            case "graph.range":
                return np.arange(*(operand.item() for operand in operands))
        if op.name.removeprefix("graph.") not in RULES:
            raise NotImplementedError(f"the evaluator has no rule for {op.name}")
        return RULES[op.name.removeprefix("graph.")](*operands, **attributes)


def _attributes(op: ir.Operation) -> dict[str, Any]:
    spec = graph.specs().get(op.name.removeprefix("graph."))
    if spec is None:
        raise NotImplementedError(f"the evaluator knows graph ops only, not {op.name}")
    return {attribute.name: graph.attribute(op, attribute.name) for attribute in spec.attributes}


def _weight(op: ir.Operation, attributes: Mapping[str, Any], store: WeightStore) -> np.ndarray:
    reference = Reference(*(attributes[name] for name in ("source", "offset", "size", "hash")))
    dtype = dtype_of(str(graph.element_type(op.results[0])))
    return store.buffer(reference).view(dtype).reshape(graph.shape_of(op.results[0]))


def _shape(op: ir.Operation, dims: np.ndarray | None = None) -> tuple[int, ...]:
    return tuple(graph.shape_of(op.results[0]) if dims is None else dims)


def _dtype(op: ir.Operation) -> np.dtype:
    return _wide(dtype_of(str(graph.element_type(op.results[0]))))


def _wide(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.kind in "iub" else np.dtype(np.float64)


def _widen(array: Any) -> np.ndarray:
    found = np.asarray(array)
    return found.astype(_wide(found.dtype))
