"""Factors of products of i32 that are integers of 8 bits less a zero point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.constants import i8, i32
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.rematerialization import REMATERIALIZE
from mlc.passes.graph.common.values import (
    both_orders,
    constant_array,
    is_constant,
    is_unsigned,
    scalar_constant,
)

NARROW = ("i8", "ui8")
# Offset between a ui8 and the i8 with the same bits but the sign bit.
HALF = 128


@dataclass(frozen=True)
class Factor:
    """An operand of a product: `elements` of 8 bits, less a zero point of i32 that is uniform along the
    reduction, if there is one."""

    elements: ir.Value
    zero: ir.Value | None = None

    @property
    def wide(self) -> ir.Value:
        """The elements in i32."""
        result_type = ir.RankedTensorType.get(self.elements.type.shape, i32())
        return graph.build("cast", [self.elements], {}, result_type)


def factor_of(value: ir.Value, reduced: Iterable[int]) -> Factor | None:
    """An operand of a product of i32, which sums along the axes `reduced`, from the back; None if it is
    something else, or is to be read so already."""
    made = defining_op(value)
    if made is None or value.type.rank < 2 or REMATERIALIZE in made.attributes:
        return None
    if (elements := _narrow(value)) is not None:
        return Factor(elements)
    if made.name not in (graph.Sub.NAME, graph.Add.NAME):
        return None
    axes = tuple(reduced)
    pairs = both_orders(made)[: 1 if made.name == graph.Sub.NAME else 2]
    for wide, zero in pairs:
        elements = _narrow(wide)
        if elements is not None and graph.same_type(wide, value) and _is_uniform(zero, axes):
            return Factor(elements, zero if made.name == graph.Sub.NAME else graph.build("neg", [zero]))
    return None


def _narrow(value: ir.Value) -> ir.Value | None:
    """The elements of 8 bits that a conversion to i32 widens."""
    made = graph.Cast.defining(value)
    if made is None or str(graph.element_type(value)) != "i32":
        return None
    return made.x if str(graph.element_type(made.x)) in NARROW else None


def _is_uniform(zero: ir.Value, reduced: Iterable[int]) -> bool:
    """Whether a zero point is the same along the reduction."""
    shape = graph.shape_of(zero)
    return all(len(shape) < -axis or shape[axis] == 1 for axis in reduced)


def simplify_factor(factor: Factor) -> Factor:
    """Drops a zero point of 0. Weights of ui8 whose zero point is 128 become weights of i8."""
    given = None if factor.zero is None else constant_array(factor.zero)
    if given is None:
        return factor
    if not given.any():
        return Factor(factor.elements)
    if not (given == HALF).all() or not is_unsigned(factor.elements) or not is_constant(factor.elements):
        return factor
    wide = factor.wide
    signed = graph.build("sub", [wide, scalar_constant(HALF, wide)])
    result_type = ir.RankedTensorType.get(wide.type.shape, i8())
    return Factor(graph.build("cast", [signed], {}, result_type))


def less(value: ir.Value, factor: ir.Value, zero: ir.Value) -> ir.Value:
    """`value - factor * zero`."""
    return graph.build("sub", [value, graph.build("mul", [factor, zero])])
