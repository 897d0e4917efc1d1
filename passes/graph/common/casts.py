"""Conversions of tensors to other element types."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph

# Marks an op whose result need not be rounded where it is widened again.
UNROUNDED = "graph.unrounded"


def cast_to(value: ir.Value, element: ir.Type) -> ir.Value:
    """The value with other elements, at the current insertion point."""
    return graph.build("cast", [value], {}, with_element(value.type, element))


def with_element(tensor_type: ir.Type, element: ir.Type) -> ir.Type:
    """Returns the tensor type with other elements."""
    return ir.RankedTensorType.get(ir.RankedTensorType(tensor_type).shape, element)
