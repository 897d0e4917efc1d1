"""What every graph op must satisfy, on types as data; the op classes and `build` call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc.bindings import ir

from .attributes import read_attributes
from .rules import agree
from .spec import Call, Operand, OpSpec, ShapeError, Tensor, specs
from .types import tensor_of


def infer(
    spec: OpSpec, operands: Sequence[Tensor], attributes: Mapping[str, Any], given: Sequence[Tensor] = ()
) -> tuple[Tensor, ...]:
    """The result types of an op. `given` are those it was written with, needed where the definition
    asks for them.

    All operands must have a known rank. Raises ShapeError.
    """
    groups = spec.operand_groups(operands)
    _check_elements(spec, groups)
    if spec.result_given and not given:
        raise ShapeError("result", "type must be given")
    return spec.infer_results(Call({**groups, **attributes}, given[0] if given else None))


def _check_elements(spec: OpSpec, groups: Mapping[str, Any]) -> None:
    for operand in spec.operands:
        group = groups[operand.name]
        for tensor in group if isinstance(group, tuple) else (group,):
            if tensor is not None:
                _check_element(operand, tensor, groups)


def _check_element(operand: Operand, tensor: Tensor, groups: Mapping[str, Any]) -> None:
    if not operand.elements.admits(tensor.element):
        raise ShapeError(
            operand.name, f"has elements {tensor.element}, not {operand.elements.name}: {tensor}"
        )
    if operand.like and tensor.element != groups[operand.like].element:
        raise ShapeError(
            operand.name, f"has elements {tensor.element}, {operand.like} has {groups[operand.like].element}"
        )


def check_results(spec: OpSpec, inferred: Sequence[Tensor], actual: Sequence[Tensor]) -> None:
    """The written result types must be possible; raises ShapeError."""
    for name, expected, found in zip(spec.results, inferred, actual, strict=True):
        same_element = expected.element == found.element
        if not same_element or (found.shape is not None and not agree(expected.shape or (), found.shape)):
            raise ShapeError(name, f"is {found}, the definition gives {expected}")


class Checked:
    """An op as data: `spec`, operand types, attributes, written result types; reading raises ShapeError."""

    def __init__(self, op: ir.Operation | ir.OpView) -> None:
        self.spec = specs()[op.name.removeprefix("graph.")]
        self.operands = [
            tensor_of(value.type, f"operand {position}") for position, value in enumerate(op.operands)
        ]
        self.results = [tensor_of(value.type, "result") for value in op.results]
        self.attributes = read_attributes(self.spec, op.attributes)
        if len(self.results) != len(self.spec.results):
            raise ShapeError("results", f"number {len(self.results)} instead of {len(self.spec.results)}")

    @property
    def ranked(self) -> bool:
        """Whether the shape function applies: the rank of every operand (and of a given result) is known."""
        given = self.results if self.spec.result_given else []
        return all(tensor.shape is not None for tensor in (*self.operands, *given))

    def infer(self) -> tuple[Tensor, ...]:
        """The result types that the definition gives; only where `ranked`. Raises ShapeError."""
        given = [tensor for tensor in self.results if tensor.shape is not None]
        return infer(self.spec, self.operands, self.attributes, given)


def check(op: ir.Operation | ir.OpView) -> None:
    "Raises ShapeError unless the op satisfies its definition. Operands of unknown rank leave the shapes"
    "unchecked."
    checked = Checked(op)
    if checked.ranked:
        check_results(checked.spec, checked.infer(), checked.results)
    else:
        _check_elements(checked.spec, checked.spec.operand_groups(checked.operands))


def describe(op: ir.Operation | ir.OpView, error: ShapeError) -> str:
    """The diagnostic of a ShapeError: op, field, what is wrong, and the operands' types."""
    types = ", ".join(str(value.type) for value in op.operands)
    return f"'{op.name}' op {error}" + (f" (operands: {types})" if types else "")
