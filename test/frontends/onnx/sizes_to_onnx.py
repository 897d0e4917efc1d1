"""The translation of graph.sizes to ONNX's arithmetic on vectors of one element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlc.bindings import ir
from mlc.dialects.graph import attribute
from mlc.dialects.graph.sizes import Name, Size, SizeFunction
from mlc.dialects.graph.sizes.text import parse_size

if TYPE_CHECKING:
    from to_onnx import Writer


def sizes(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    """Returns the vector of the sizes in the op's attribute `dims`."""
    names = iter(attribute(op, "names"))
    known: dict[str, str] = {}
    for value, operand in zip(inputs, op.operands, strict=True):
        for index in range(operand.type.shape[0]):
            bounds = [w.constant([bound]) for bound in (index, index + 1)]
            known[next(names)] = w.node("Slice", [value, *bounds])
    return w.node("Concat", [_size(w, parse_size(text), known) for text in attribute(op, "dims")], axis=0)


def _size(w: Writer, size: int | Size, known: dict[str, str]) -> str:
    if isinstance(size, int):
        return w.constant([size])
    total = w.constant([0])
    for monomial, count in size.terms:
        term = w.constant([count])
        for factor in monomial:
            term = w.node("Mul", [term, _factor(w, factor, known)])
        total = w.node("Add", [total, term])
    return total


def _factor(w: Writer, factor: Name | SizeFunction, known: dict[str, str]) -> str:
    if isinstance(factor, Name):
        return known[factor.name]
    left, right = (_size(w, operand, known) for operand in factor.operands)
    if factor.name == "max":
        return w.node("Max", [left, right])
    if factor.name == "broadcast":
        return w.node("Where", [w.node("Equal", [left, w.constant([1])]), right, left])
    rest = w.node("Mod", [left, right])
    return w.node("Div", [w.node("Sub", [left, rest]), right])
