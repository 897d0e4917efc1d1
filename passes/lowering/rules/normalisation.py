"""Softmax and the normalisations, as reductions and elementwise ops over one row at a time."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, math
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import constant, tensor_type
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, compare, div, maximum_step, mul, sub
from mlc.passes.lowering.rules.reduction import (
    combine_elements,
    extent_product,
    lowest,
    map_elements,
    mean,
    reduce,
    sum_step,
)


def _subtract_maximum(x: ir.Value, axes: Sequence[int]) -> ir.Value:
    top = reduce(x, axes, lowest(tensor_type(x).element_type), maximum_step)
    return combine_elements(x, top, sub)


# Below, e^x is not a normal value of f32.
TINY = -87.0


def power_of(shifted: ir.Value) -> ir.Value:
    """Computes e^x for a softmax, where x <= 0 and some x is 0: negligible results, as those of masked keys,
    are 0 at once. The processor would take a hundred cycles for each that is subnormal. The bounds of x are
    spelt out for `tloop-expand-math`, which then takes fewer steps."""
    element = shifted.type
    if not isinstance(element, ir.F32Type):
        return math.exp(shifted)
    low = constant(element, TINY)
    tiny = compare("less", shifted, low)
    zero = constant(element, 0)
    bounded = arith.select(tiny, low, shifted)
    bounded = arith.select(compare("greater", bounded, zero), zero, bounded)
    return arith.select(tiny, zero, math.exp(bounded))


@rule("softmax")
def lower_softmax(op: ir.Operation) -> list[ir.Value]:
    """Scales the exponentials by the reciprocal of their sum: one division per row."""
    softmax = graph.Softmax(op)
    axes = [softmax.axis]
    powers = map_elements(_subtract_maximum(softmax.x, axes), power_of)
    total = reduce(powers, axes, 0, sum_step)
    scale = map_elements(total, lambda value: div(constant(value.type, 1), value))
    return [combine_elements(powers, scale, mul)]


@rule("log_softmax")
def lower_log_softmax(op: ir.Operation) -> list[ir.Value]:
    """Computes `x - max - log(sum(exp(x - max)))` along the axis."""
    log_softmax = graph.LogSoftmax(op)
    axes = [log_softmax.axis]
    shifted = _subtract_maximum(log_softmax.x, axes)
    total = reduce(shifted, axes, 0, sum_step, element=power_of)
    return [combine_elements(shifted, map_elements(total, lambda value: math.log(value)), sub)]


def _inverse_root(variance: ir.Value, epsilon: float) -> ir.Value:
    return map_elements(
        variance,
        lambda value: div(constant(value.type, 1), math.sqrt(add(value, constant(value.type, epsilon)))),
    )


def _mean_square(x: ir.Value, axes: Sequence[int]) -> ir.Value:
    total = reduce(x, axes, 0, sum_step, element=lambda value: mul(value, value))
    count = extent_product(x, axes)
    return map_elements(total, lambda value: div(value, constant(value.type, count)))


@rule("layer_norm")
def lower_layer_norm(op: ir.Operation) -> list[ir.Value]:
    """Reads each row twice, for the mean and for the variance of the centred row: no cancellation."""
    layer_norm = graph.LayerNorm(op)
    axes = layer_norm.axes
    centred = combine_elements(layer_norm.x, mean(layer_norm.x, axes), sub)
    scale = _inverse_root(_mean_square(centred, axes), layer_norm.epsilon)
    return [combine_elements(centred, scale, mul)]


@rule("rms_norm")
def lower_rms_norm(op: ir.Operation) -> list[ir.Value]:
    """Computes `x / sqrt(mean(x^2) + epsilon)` over the axes."""
    rms_norm = graph.RmsNorm(op)
    scale = _inverse_root(_mean_square(rms_norm.x, rms_norm.axes), rms_norm.epsilon)
    return [combine_elements(rms_norm.x, scale, mul)]
