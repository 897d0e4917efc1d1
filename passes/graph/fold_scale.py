"""graph-fold-scale: constant factors and offsets around convolutions and matrix products meet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.values import is_constant, is_static, on_ranked, replacing
from mlc.passes.patterns import FirstOf
from mlc.passes.rewriting import apply_patterns, defining_op, has_one_use


def _variable_and_constant(op: ir.Operation) -> tuple[ir.Value, ir.Value] | None:
    """The operands of a commutative op of which just one is constant."""
    a, b = op.operands
    if is_constant(b):
        return None if is_constant(a) else (a, b)
    return (b, a) if is_constant(a) else None


def _sole_use(value: ir.Value, name: str) -> ir.Operation | None:
    """The op called `name` that makes the value, if nothing else uses it."""
    op = defining_op(value, name)
    return op if op is not None and has_one_use(value) else None


def _along(axis: int, rank: int, scale: ir.Value) -> int | None:
    """The length (1: one number for all) of a scale that varies along one axis of a tensor of `rank` only."""
    shape = graph.shape_of(scale)
    if len(shape) > rank or not is_static(scale):
        return None
    aligned = [1] * (rank - len(shape)) + shape
    length = aligned.pop(axis)
    return length if all(dim == 1 for dim in aligned) else None


def _vector(scale: ir.Value, shape: list[int]) -> ir.Value:
    """The entries of a scale under a shape of its element count."""
    return graph.build("reshape", [scale], {"shape": shape})


def _scale_of_conv(conv: ir.Operation, scale: ir.Value) -> ir.Value | None:
    """The convolution's weights times the scale per output channel."""
    weights = conv.operands[1]
    length = _along(1, conv.results[0].type.rank, scale)
    if length is None or graph.attribute(conv, "layout") != "NCHW":
        return None
    per_output = _vector(scale, [length] + [1] * (weights.type.rank - 1))
    return graph.build("mul", [weights, per_output])


def _scale_of_matmul(matmul: ir.Operation, scale: ir.Value) -> ir.Value | None:
    """The right-hand side times the scale per column."""
    columns, rank = matmul.operands[1], matmul.results[0].type.rank
    if columns.type.rank < 2 or rank < 1:
        return None
    length = _along(rank - 1, rank, scale)
    return None if length is None else graph.build("mul", [columns, _vector(scale, [length])])


_SCALED = {"graph.conv": _scale_of_conv, "graph.matmul": _scale_of_matmul}


def into_weights(op: ir.Operation) -> ir.Value | None:
    """conv(x, w) * s -> conv(x, w * s), and the same for matmul."""
    found = _variable_and_constant(op)
    product = defining_op(found[0]) if found else None
    if found is None or product is None or product.name not in _SCALED:
        return None
    weights = product.operands[1]
    # Weights with other users would be held twice.
    if not (has_one_use(product.results[0]) and has_one_use(weights) and is_constant(weights)):
        return None
    scaled = _SCALED[product.name](product, found[1])
    if scaled is None or scaled.type != weights.type or product.results[0].type != op.results[0].type:
        return None
    attributes = {name: product.attributes[name] for name in product.attributes}
    return graph.build(product.name, [product.operands[0], scaled], attributes, product.results[0].type)


def _is_scaled(value: ir.Value) -> bool:
    """Whether a factor of the value folds into what makes it."""
    op = defining_op(value)
    if op is None or not has_one_use(value):
        return False
    return op.name in _SCALED or (op.name == "graph.mul" and _variable_and_constant(op) is not None)


def over_offset(op: ir.Operation) -> ir.Value | None:
    """(x + b) * s -> x*s + b*s, where s then folds into x."""
    found = _variable_and_constant(op)
    inner = _sole_use(found[0], "graph.add") if found else None
    parts = _variable_and_constant(inner) if inner else None
    if not (found and parts and _is_scaled(parts[0]) and parts[0].type == op.results[0].type):
        return None
    (x, offset), scale = parts, found[1]
    if not _keeps_size(offset, scale):
        return None
    return graph.build("add", [graph.build("mul", [x, scale]), graph.build("mul", [offset, scale])])


def _keeps_size(one: ir.Value, other: ir.Value) -> bool:
    """Whether two static constants broadcast to no more elements than the larger has."""
    if not (is_static(one) and is_static(other)):
        return False
    (result,) = graph.infer("add", [one.type, other.type])
    return math.prod(result.shape) <= max(math.prod(one.type.shape), math.prod(other.type.shape))


def chained(op: ir.Operation) -> ir.Value | None:
    """(x + a) + b -> x + (a + b) for constants a and b, and the same for mul."""
    found = _variable_and_constant(op)
    inner = _sole_use(found[0], op.name) if found else None
    parts = _variable_and_constant(inner) if inner else None
    if not (found and parts) or not _keeps_size(parts[1], found[1]):
        return None
    return graph.build(op.name, [parts[0], graph.build(op.name, [parts[1], found[1]])])


@dataclass(frozen=True)
class FoldScale(Pass):
    """Fold constant factors into the weights of convolutions and matrix products.

    A `mul` by a constant per output channel (or column) after a `conv` or `matmul` with constant weights goes
    into the weights; constant offsets between them are scaled instead; chains of constant offsets, and of
    constant factors, become one. After graph-decompose this folds batch normalisation. Ops with other users
    stay.
    """

    name: ClassVar[str] = "graph-fold-scale"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> None:
        factors = FirstOf(replacing(into_weights), replacing(chained), replacing(over_offset))
        apply_patterns(op, {"graph.mul": on_ranked(factors), "graph.add": on_ranked(replacing(chained))})
