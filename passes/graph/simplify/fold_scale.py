"""graph-fold-scale: constant factors and offsets around convolutions and matrix products meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of, defining_op, has_one_use
from mlc.passes.exactness import exactness_option, rounding
from mlc.passes.graph.common.constant_operands import keeps_size, sole_use, variable_and_constant
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.values import dtype, is_constant, is_float, is_static
from mlc.passes.graph.simplify.constant_ranges import known_values, leaves_range, meet_safely, stays_normal
from mlc.passes.graph.simplify.constant_rules import combine_constants
from mlc.passes.remarks import report_missed


def _along(axis: int, rank: int, scale: ir.Value) -> int | None:
    """The length (1: one value for all) of a scale that varies along one axis of a tensor of `rank` only."""
    shape = graph.shape_of(scale)
    if len(shape) > rank or not is_static(scale):
        return None
    aligned = [1] * (rank - len(shape)) + shape
    length = aligned.pop(axis)
    return length if all(dim == 1 for dim in aligned) else None


def _scale_of_conv(conv: ir.Operation, scale: ir.Value) -> list[int] | None:
    """The shape of a scale per output channel beside the convolution's weights."""
    length = _along(1, graph.Conv(conv).result.type.rank, scale)
    if length is None or graph.Conv(conv).layout != "NCHW":
        return None
    return [length] + [1] * (graph.Conv(conv).w.type.rank - 1)


def _scale_of_matmul(matmul: ir.Operation, scale: ir.Value) -> list[int] | None:
    """The shape of a scale per column beside the right-hand side."""
    rank = graph.Matmul(matmul).result.type.rank
    if graph.Matmul(matmul).b.type.rank < 2 or rank < 1:
        return None
    length = _along(rank - 1, rank, scale)
    return None if length is None else [length]


_SCALED = {graph.Conv.NAME: _scale_of_conv, graph.Matmul.NAME: _scale_of_matmul}


def _scales_safely(product: ir.Operation, scale: ir.Value, shape: list[int]) -> bool:
    """Whether constant weights times a scale, in the shape in which it is applied, stay normal values."""
    if not is_float(scale):
        return True
    factors = known_values(scale)
    if factors is not None:
        factors = factors.reshape(shape if factors.size > 1 else [1] * len(shape))
    return stays_normal(graph.Mul.NAME, known_values(product.operands[1]), factors, dtype(scale))


@rounding
def into_weights(op: ir.Operation) -> ir.Value | None:
    """conv(x, w) * s -> conv(x, w * s), and the same for matmul, where w * s is known, or likely, to be
    normal values: see `stays_normal`."""
    found = variable_and_constant(op)
    product = defining_op(found[0]) if found else None
    if found is None or product is None or product.name not in _SCALED:
        return None
    weights = product.operands[1]
    # Weights with other users would be held twice.
    if not (has_one_use(product.results[0]) and has_one_use(weights) and is_constant(weights)):
        return None
    shape = _SCALED[product.name](product, found[1])
    if shape is None or not graph.same_type(product.results[0], graph.Mul(op).result):
        return None
    if not _scales_safely(product, found[1], shape):
        report_missed(op, "into_weights", leaves_range(weights))
        return None
    # The entries of the scale under a shape of its element count.
    scaled = graph.build("mul", [weights, graph.build("reshape", [found[1]], {"shape": shape})])
    if scaled.type != weights.type:
        return None
    attributes = attributes_of(product)
    return graph.build(product.name, [product.operands[0], scaled], attributes, product.results[0].type)


def _is_scaled(value: ir.Value, scale: ir.Value) -> bool:
    """Whether a factor of the value folds into what makes it."""
    op = defining_op(value)
    if op is None or not has_one_use(value):
        return False
    if op.name in _SCALED:
        shape = _SCALED[op.name](op, scale)
        return shape is not None and _scales_safely(op, scale, shape)
    parts = variable_and_constant(op) if op.name == graph.Mul.NAME else None
    return parts is not None and stays_normal(
        graph.Mul.NAME, known_values(parts[1]), known_values(scale), dtype(scale)
    )


@rounding
def over_offset(op: ir.Operation) -> ir.Value | None:
    """(x + b) * s -> x*s + b*s, where s then folds into x."""
    found = variable_and_constant(op)
    inner = sole_use(found[0], graph.Add.NAME) if found else None
    parts = variable_and_constant(inner) if inner else None
    if not (found and parts and _is_scaled(parts[0], found[1])):
        return None
    if not graph.same_type(parts[0], graph.Mul(op).result):
        return None
    (x, offset), scale = parts, found[1]
    if not keeps_size(offset, scale) or not meet_safely(op, "over_offset", graph.Mul.NAME, offset, scale):
        return None
    return graph.build("add", [graph.build("mul", [x, scale]), graph.build("mul", [offset, scale])])


RULES: Rules = {
    graph.Mul.NAME: (into_weights, combine_constants, over_offset),
    graph.Add.NAME: (combine_constants,),
}


@dataclass(frozen=True)
class FoldScale(Pass):
    """Fold constant factors into the weights of convolutions and matrix products.

    A `mul` by a constant per output channel (or column) after a `conv` or `matmul` with constant weights goes
    into the weights; constant offsets between them are scaled instead; chains of constant offsets, and of
    constant factors, become one. After graph-decompose this folds batch normalisation. Ops with other users
    stay, and so do constants whose product or sum could leave the range of their type: weights, whose
    values are not known here, take factors from 1/16 to 16 in f16, from 2**-60 to 2**60 in f32 and bf16.
    """

    name: ClassVar[str] = "graph-fold-scale"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
