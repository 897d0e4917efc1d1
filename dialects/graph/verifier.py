"""The verifier of graph ops, on types as data; the op classes and `build` call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.dialects.graph.shape_rules import agree

from .attributes import read_attributes
from .regions import read_bodies
from .spec import GraphTensor, OpCall, OperandSpec, OpSpec, RegionSignature, ShapeError, specs
from .types import tensor_of, type_of


def infer(
    spec: OpSpec,
    operands: Sequence[GraphTensor],
    attributes: Mapping[str, Any],
    given: Sequence[GraphTensor] = (),
    bodies: Mapping[str, RegionSignature] | None = None,
) -> tuple[GraphTensor, ...]:
    """Returns the result types of an op. `given` are those it was written with, which some definitions need;
    `bodies` are its regions.

    All operands must have a known rank. Raises ShapeError.
    """
    groups = spec.operand_groups(operands)
    _check_elements(spec, groups)
    if len(bodies or {}) != len(spec.regions):
        raise ShapeError("regions", f"of graph.{spec.name} must be given: {', '.join(spec.regions)}")
    return spec.infer_results(OpCall({**groups, **attributes, **(bodies or {})}, given[0] if given else None))


def _check_elements(spec: OpSpec, groups: Mapping[str, Any]) -> None:
    for operand in spec.operands:
        group = groups[operand.name]
        for tensor in group if isinstance(group, tuple) else (group,):
            if tensor is not None:
                _check_element(operand, tensor, groups)


def _check_element(operand: OperandSpec, tensor: GraphTensor, groups: Mapping[str, Any]) -> None:
    if not operand.elements.admits(tensor.element):
        raise ShapeError(
            operand.name, f"has elements {tensor.element}, not {operand.elements.name}: {tensor}"
        )
    if operand.like and tensor.element != groups[operand.like].element:
        raise ShapeError(
            operand.name, f"has elements {tensor.element}, {operand.like} has {groups[operand.like].element}"
        )


def check_results(spec: OpSpec, inferred: Sequence[GraphTensor], actual: Sequence[GraphTensor]) -> None:
    """Raises ShapeError unless the written result types agree with the inferred ones."""
    if len(actual) != len(inferred):
        raise ShapeError("results", f"number {len(actual)} instead of {len(inferred)}")
    for name, expected, found in zip(spec.result_names(len(actual)), inferred, actual, strict=True):
        same_element = expected.element == found.element
        ranked = expected.shape is not None and found.shape is not None
        if not same_element or (ranked and not agree(expected.shape or (), found.shape or ())):
            raise ShapeError(name, f"is {found}, the definition gives {expected}")


def refine(inferred: GraphTensor, written: GraphTensor) -> GraphTensor:
    """Returns the dims that are known from either of two types of one tensor, which must agree."""
    if inferred.shape is None or written.shape is None:
        return written if inferred.shape is None else inferred
    dims = zip(inferred.shape, written.shape, strict=True)
    return GraphTensor(tuple(other if dim is None else dim for dim, other in dims), inferred.element)


@dataclass(frozen=True)
class OpData:
    """An op as data: its definition, operand types, attributes, written result types and regions."""

    spec: OpSpec
    operands: list[GraphTensor]
    attributes: Mapping[str, Any]
    results: list[GraphTensor]
    bodies: Mapping[str, RegionSignature]

    @property
    def ranked(self) -> bool:
        """Whether the shape function applies: the rank of every operand is known."""
        return all(tensor.shape is not None for tensor in self.operands)

    def infer(self) -> tuple[GraphTensor, ...]:
        """Returns the result types by the definition, where `ranked`; checked against those written."""
        inferred = infer(self.spec, self.operands, self.attributes, self.results, self.bodies)
        check_results(self.spec, inferred, self.results)
        return inferred


def read_op(op: ir.Operation | ir.OpView) -> OpData:
    """Returns a graph op as data; raises ShapeError for values that are no tensors and for wrong
    attributes."""
    spec = specs()[op.name.removeprefix("graph.")]
    operands = [tensor_of(value.type, f"operand {position}") for position, value in enumerate(op.operands)]
    results = [tensor_of(value.type, "result") for value in op.results]
    return OpData(spec, operands, read_attributes(spec, op.attributes), results, read_bodies(spec, op))


def check(op: ir.Operation | ir.OpView) -> None:
    """Raises ShapeError unless the op satisfies its definition.

    Where the rank of an operand is not known, shapes are left unchecked.
    """
    data = read_op(op)
    if data.ranked:
        data.infer()
    else:
        _check_elements(data.spec, data.spec.operand_groups(data.operands))


def refined_types(op: ir.Operation | ir.OpView) -> list[ir.Type] | None:
    """Returns an op's result types with all dims that follow from its operands; None where an operand is
    unranked.

    Raises ShapeError when the op does not satisfy its definition.
    """
    data = read_op(op)
    if not data.ranked:
        return None
    refined = (refine(*pair) for pair in zip(data.infer(), data.results, strict=True))
    return [type_of(tensor, op.context) for tensor in refined]


def describe(op: ir.Operation | ir.OpView, error: ShapeError) -> str:
    """Returns the diagnostic of a ShapeError: op, field, what is wrong, and the operands' types."""
    types = ", ".join(str(value.type) for value in op.operands)
    return f"'{op.name}' op {error}" + (f" (operands: {types})" if types else "")
