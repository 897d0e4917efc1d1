"""graph-narrow-integer-products: products of integers of 8 bits, which tensor units multiply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.on_read import ON_READ, mark
from mlc.passes.graph.values import (
    both_orders,
    constant_array,
    is_constant,
    is_static,
    is_unsigned,
    on_ranked,
    scalar_constant,
)
from mlc.passes.rewriting import apply_patterns, defining_op, replace_op

NARROW = ("i8", "ui8")
# What the numbers of ui8 are more than those of i8 with the other highest bit.
HALF = 128
# The axes of the reduction, from the back.
_REDUCED = (-1, -2)


@dataclass(frozen=True)
class Factor:
    """An operand of a product: `numbers` of 8 bits, less a zero point of i32 that is the same along the
    reduction, if there is one."""

    numbers: ir.Value
    zero: ir.Value | None = None

    @property
    def wide(self) -> ir.Value:
        """The numbers in i32."""
        kind = ir.RankedTensorType.get(self.numbers.type.shape, ir.IntegerType.get_signless(32))
        return graph.build("cast", [self.numbers], {}, kind)

    def sums(self, operand: int) -> ir.Value:
        """Of the numbers along the reduction, if they are this operand's."""
        wide = self.wide if is_constant(self.numbers) else mark(self.wide)
        axis = self.numbers.type.rank + _REDUCED[operand]
        return graph.build("reduce_sum", [wide], {"axes": [axis], "keepdims": True})


def factor_of(op: ir.Operation, operand: int) -> Factor | None:
    """An operand of a product of i32; None if it is something else, or is to be read so already."""
    value = op.operands[operand]
    made = defining_op(value)
    if made is None or value.type.rank < 2 or ON_READ in made.attributes:
        return None
    if (numbers := _narrow(value)) is not None:
        return Factor(numbers)
    if made.name not in ("graph.sub", "graph.add"):
        return None
    pairs = both_orders(made)[: 1 if made.name == "graph.sub" else 2]
    for wide, zero in pairs:
        numbers = _narrow(wide)
        if numbers is not None and graph.same_type(wide, value) and _is_alike(zero, _REDUCED[operand]):
            return Factor(numbers, zero if made.name == "graph.sub" else graph.build("neg", [zero]))
    return None


def _narrow(value: ir.Value) -> ir.Value | None:
    """The numbers of 8 bits that a conversion to i32 makes wider."""
    made = defining_op(value, "graph.cast")
    if made is None or str(graph.element_type(value)) != "i32":
        return None
    return made.operands[0] if str(graph.element_type(made.operands[0])) in NARROW else None


def _is_alike(zero: ir.Value, reduced: int) -> bool:
    """Whether a zero point is the same along the reduction."""
    shape = graph.shape_of(zero)
    return len(shape) < -reduced or shape[reduced] == 1


def simplified(factor: Factor) -> Factor:
    """Without a zero point of 0. Weights of ui8 whose zero point is 128 are numbers of i8."""
    given = None if factor.zero is None else constant_array(factor.zero)
    if given is None:
        return factor
    if not given.any():
        return Factor(factor.numbers)
    if not (given == HALF).all() or not is_unsigned(factor.numbers) or not is_constant(factor.numbers):
        return factor
    wide = factor.wide
    signed = graph.build("sub", [wide, scalar_constant(HALF, wide)])
    kind = ir.RankedTensorType.get(wide.type.shape, ir.IntegerType.get_signless(8))
    return Factor(graph.build("cast", [signed], {}, kind))


def narrow_product(op: ir.Operation) -> bool:
    """matmul(a - x, b - y) -> matmul(a, b) - y * sums(a) - x * (sums(b) - K * y), where a and b are of 8
    bits, and x and y zero points."""
    found = [factor_of(op, operand) for operand in range(2)]
    if None in found or not all(map(is_static, (*op.operands, *op.results))):
        return False
    a, b = (simplified(each) for each in found if each is not None)
    result = graph.build("matmul", [mark(a.wide), mark(b.wide)])
    if b.zero is not None:
        result = _less(result, a.sums(0), b.zero)
    if a.zero is not None:
        sums = b.sums(1)
        if b.zero is not None:
            sums = _less(sums, scalar_constant(a.numbers.type.shape[-1], sums), b.zero)
        result = _less(result, sums, a.zero)
    replace_op(op, result)
    return True


def _less(value: ir.Value, factor: ir.Value, zero: ir.Value) -> ir.Value:
    """`value - factor * zero`."""
    return graph.build("sub", [value, graph.build("mul", [factor, zero])])


@dataclass(frozen=True)
class NarrowIntegerProducts(Pass):
    """Have products of i32, whose operands are integers of 8 bits less zero points, multiply these integers:
    their conversion to i32 belongs to the product (`graph.on_read`), which tensor units of GPUs do with sums
    of i32. What zero points add is subtracted behind it: they are multiplied by sums of the other operand's
    rows or columns. Those of weights are work for @prepare. Exact, modulo 2^32 as all sums of i32 are.

    Zero points may differ for rows of the left operand and for columns of the right one.
    """

    name: ClassVar[str] = "graph-narrow-integer-products"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {"graph.matmul": on_ranked(narrow_product)})
