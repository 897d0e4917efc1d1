"""Rules of graph-recognize-idioms for LayerNorm and RMSNorm; group and instance norms are LayerNorms."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import like_type, plus_constant, reduction_of, without_casts
from mlc.passes.graph.common.values import Scalar, both_orders, splat


@dataclass
class Centred:
    """A value minus its mean over axes."""

    x: ir.Value
    axes: list[int]


@dataclass
class MeanSquare:
    """mean(x^2) + epsilon over axes; `wide` is the square's operand, `x` the same before casts."""

    wide: ir.Value
    x: ir.Value
    axes: list[int]
    epsilon: Scalar


def _mean(value: ir.Value) -> tuple[ir.Value, list[int]] | None:
    return reduction_of(value, graph.ReduceMean.NAME)


def _match_centred(value: ir.Value) -> Centred | None:
    op = graph.Sub.defining(value)
    found = _mean(without_casts(op.b)) if op is not None else None
    if op is None or not found or without_casts(found[0]) != without_casts(op.a):
        return None
    return Centred(op.a, found[1])


def _square_root_of(value: ir.Value) -> ir.Value | None:
    """Returns `x` where the value is `x^2`."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Pow.NAME, graph.Mul.NAME):
        return None
    a, b = op.operands
    squared = splat(b) == 2 if op.name == graph.Pow.NAME else a == b
    return a if squared else None


def _mean_square(value: ir.Value) -> MeanSquare | None:
    found = plus_constant(value)
    mean = _mean(found[0]) if found else None
    base = _square_root_of(mean[0]) if mean else None
    if base is None or mean is None or found is None:
        return None
    return MeanSquare(base, without_casts(base), mean[1], found[1])


def _under_root(value: ir.Value, inverse: bool) -> ir.Value | None:
    """Returns `y` where the value is `sqrt(y)`, or `1 / sqrt(y)`."""
    op = defining_op(without_casts(value))
    if op is None:
        return None
    if op.name == graph.Pow.NAME:
        return graph.Pow(op).a if splat(graph.Pow(op).b) == (-0.5 if inverse else 0.5) else None
    if not inverse:
        return graph.Sqrt(op).x if op.name == graph.Sqrt.NAME else None
    if op.name == graph.Rsqrt.NAME:
        return graph.Rsqrt(op).x
    if op.name == graph.Reciprocal.NAME:
        return _under_root(graph.Reciprocal(op).x, inverse=False)
    if op.name == graph.Div.NAME and splat(graph.Div(op).a) == 1:
        return _under_root(graph.Div(op).b, inverse=False)
    return None


def _build_normalisation(
    op: ir.Operation, numerator: ir.Value, under_root: ir.Value | None
) -> ir.Value | None:
    """Builds layer_norm or rms_norm for `numerator / sqrt(under_root)`."""
    square = _mean_square(under_root) if under_root is not None else None
    if square is None or not graph.same_type(numerator, op.results[0]):
        return None
    same = without_casts(numerator) == square.x
    top = _match_centred(without_casts(numerator))
    bottom = top if same else _match_centred(square.x)
    if top and top == bottom and top.axes == square.axes:
        return _build_op("layer_norm", top.x, square, op)
    if same:
        return _build_op("rms_norm", square.x, square, op)
    return _scaled_first(op, numerator, square)


def _build_op(name: str, x: ir.Value, square: MeanSquare, op: ir.Operation) -> ir.Value:
    """The normalisation, computed with the elements of the mean square."""
    wide = like_type(x, graph.element_type(square.wide))
    value = graph.build(name, [wide], {"axes": square.axes, "epsilon": square.epsilon})
    return like_type(value, graph.element_type(op.results[0]))


def _scaled_first(op: ir.Operation, numerator: ir.Value, square: MeanSquare) -> ir.Value | None:
    """The same where the scale is applied before the division: (scale * (x - mean)) / sqrt(variance)."""
    for part, scale in both_orders(defining_op(numerator, graph.Mul.NAME)):
        if part != square.wide or not graph.same_type(part, numerator):
            continue
        centred = _match_centred(part)
        if centred is None or centred.axes != square.axes:
            return None
        return graph.build("mul", [_build_op("layer_norm", centred.x, square, op), scale])
    return None


@rounding
def normalisation_by_product(op: ir.Operation) -> ir.Value | None:
    """(x - mean) * rsqrt(variance + epsilon), and without the mean."""
    for numerator, scale in both_orders(op):
        result = _build_normalisation(op, numerator, _under_root(scale, inverse=True))
        if result is not None:
            return result
    return None


@rounding
def normalisation_by_quotient(op: ir.Operation) -> ir.Value | None:
    """(x - mean) / sqrt(variance + epsilon), and without the mean."""
    numerator, divisor = op.operands
    return _build_normalisation(op, numerator, _under_root(divisor, inverse=False))


@rounding
def folded_normalisation(op: ir.Operation) -> ir.Value | None:
    """Replaces `x * f + (offset - mean * f)` with `f = scale * rsqrt(variance + epsilon)`, as TensorFlow
    writes it."""
    for scaled, shifted in both_orders(op):
        difference = graph.Sub.defining(shifted)
        product = defining_op(difference.b, graph.Mul.NAME) if difference is not None else None
        for mean, factor in both_orders(product):
            found = _mean(mean)
            result = _fold_scale(scaled, factor, found) if found else None
            if result is not None and difference is not None:
                return graph.build("add", [result, difference.a])
    return None


def _fold_scale(scaled: ir.Value, factor: ir.Value, mean: tuple[ir.Value, list[int]]) -> ir.Value | None:
    """layer_norm(x) * scale for scaled = x * factor."""
    x, axes = mean
    if not any(a == x and b == factor for a, b in both_orders(defining_op(scaled, graph.Mul.NAME))):
        return None
    product = defining_op(factor, graph.Mul.NAME)
    for root, scale in [*both_orders(product), (factor, None)]:
        under = _under_root(root, inverse=True)
        square = _mean_square(under) if under is not None else None
        centred = _match_centred(square.x) if square is not None else None
        if square is not None and centred == Centred(x, axes) and square.axes == axes:
            value = graph.build("layer_norm", [x], {"axes": axes, "epsilon": square.epsilon})
            return value if scale is None else graph.build("mul", [value, scale])
    return None


RULES: Rules = {
    graph.Mul.NAME: (normalisation_by_product,),
    graph.Div.NAME: (normalisation_by_quotient,),
    graph.Add.NAME: (folded_normalisation,),
}
