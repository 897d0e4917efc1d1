"""Products of what are floats of 8 bits in memory, which tensor units of GPUs multiply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.narrow_floats import MULTIPLIED
from mlc.passes.common.rewriting import defining_op, replace_op
from mlc.passes.graph.common.rematerialization import mark
from mlc.passes.graph.common.values import constant_array


@dataclass(frozen=True)
class SmallFloats:
    """`numbers` of 8 bits, times a `scale`, if there is one: of the same rank, or of none."""

    numbers: ir.Value
    scale: ir.Value | None

    def wide(self, element: ir.Type) -> ir.Value:
        """The numbers as they are read, without the scale."""
        kind = ir.RankedTensorType.get(self.numbers.type.shape, element)
        return mark(graph.build("cast", [self.numbers], {}, kind))

    def is_alike(self, axis: int) -> bool:
        """Whether the scale is the same along an axis, from the back."""
        shape = [] if self.scale is None else graph.shape_of(self.scale)
        return not shape or shape[axis] == 1

    def transposed(self, order: Sequence[int]) -> SmallFloats:
        permutation = {"permutation": list(order)}
        scale = self.scale
        if scale is not None and scale.type.rank:
            scale = graph.build("transpose", [scale], permutation)
        return SmallFloats(graph.build("transpose", [self.numbers], permutation), scale)


def multiply_small_floats(op: ir.Operation) -> bool:
    """matmul(a * x, b * y) -> matmul(a, b) * x * y, where a and b have 8 bits in memory and x and y are
    scales that do not change along the reduction. Returns whether the `graph.matmul` was one of these."""
    if op.name != "graph.matmul" or any(each.type.rank < 2 for each in op.operands):
        return False
    with ir.InsertionPoint(op), op.location:
        a, b = map(small_floats, op.operands)
        if a is None or b is None or not a.is_alike(-1) or not b.is_alike(-2):
            return False
        element = graph.element_type(op.results[0])
        result = graph.build("matmul", [a.wide(element), b.wide(element)])
        for each in (a, b):
            if each.scale is not None:
                result = graph.build("mul", [result, each.scale])
        replace_op(op, result)
    return True


def small_floats(value: ir.Value) -> SmallFloats | None:
    """What makes a value of floats of 8 bits: a conversion or `dequantize_linear`, perhaps transposed."""
    made = defining_op(value)
    if made is None:
        return None
    if made.name == "graph.transpose":
        before = small_floats(made.operands[0])
        return None if before is None else before.transposed(graph.attribute(made, "permutation"))
    if made.name not in ("graph.cast", "graph.dequantize_linear"):
        return None
    numbers = made.operands[0]
    if not isinstance(graph.element_type(numbers), MULTIPLIED):
        return None
    if made.name == "graph.cast":
        return SmallFloats(numbers, None)
    scale = _scale(made)
    return None if scale is None else SmallFloats(numbers, scale)


def _scale(made: ir.Operation) -> ir.Value | None:
    """Of a `dequantize_linear` of one scale, or of one for each place along an axis; None if there is a zero
    point, or several scales along the axis."""
    x, scale, *zero = made.operands
    for point in zero:
        given = constant_array(point)
        if given is None or given.astype("f4").any():
            return None
    if scale.type.rank > 1 or graph.element_type(scale) != graph.element_type(made.results[0]):
        return None
    if not scale.type.rank:
        return scale
    axis, rank = graph.attribute(made, "axis"), x.type.rank
    (count,) = graph.shape_of(scale)
    if count not in (1, graph.shape_of(x)[axis]):
        return None
    shape = [1] * rank
    shape[axis] = count
    return graph.build("reshape", [scale], {"shape": shape})
