"""Reductions. Inside a kernel a reduction keeps its reduced dims with extent 1, so that its consumers
broadcast it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ml_dtypes

from mlc.bindings import arith, ir, math
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    elementwise,
    full_tensor,
    generic,
    is_float,
    is_unsigned,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import (
    absolute,
    add,
    div,
    maximum,
    maximum_step,
    minimum,
    minimum_step,
    mul,
    sub,
)

Combine = Callable[[ir.Value, ir.Value], ir.Value]


def sum_step(accumulator: ir.Value, x: ir.Value) -> ir.Value:
    """An addition that may be reassociated, so that sums vectorise."""
    if not is_float(x.type):
        return arith.addi(accumulator, x)
    return arith.addf(accumulator, x, fastmath=arith.FastMathFlags.reassoc | arith.FastMathFlags.contract)


def lowest(element: ir.Type) -> float | int:
    """The identity of max."""
    if is_float(element):
        return float("-inf")
    return 0 if element.width == 1 or is_unsigned(element) else -(1 << (element.width - 1))


def highest(element: ir.Type) -> float | int:
    """The identity of min."""
    if is_float(element):
        return float("inf")
    if is_unsigned(element) or element.width == 1:
        return (1 << element.width) - 1
    return (1 << (element.width - 1)) - 1


def reduce(
    x: ir.Value,
    axes: Sequence[int],
    identity: float,
    combine: Combine,
    keepdims: bool = True,
    element: Callable[[ir.Value], ir.Value] = lambda value: value,
) -> ir.Value:
    """Combines `element(x[...])` over `axes`. Iteration space: the result's dims, then the reduced ones."""
    shape = static_shape(x)
    kept = [axis for axis in range(len(shape)) if keepdims or axis not in axes]
    count = len(kept) + len(axes)
    result_dims = {axis: ir.AffineExpr.get_dim(dim) for dim, axis in enumerate(kept)}
    reduced_dims = {axis: ir.AffineExpr.get_dim(len(kept) + dim) for dim, axis in enumerate(axes)}
    read = [reduced_dims.get(axis, result_dims.get(axis)) for axis in range(len(shape))]
    result_shape = [1 if axis in axes else shape[axis] for axis in kept]
    initial = full_tensor(result_shape, tensor_type(x).element_type, identity)
    return generic(
        [x],
        [affine_map(count, read)],
        initial,
        affine_map(count, dims(count)[: len(kept)]),
        lambda value, accumulator: combine(accumulator, element(value)),
        reductions=range(len(kept), count),
    )


def map_elements(x: ir.Value, function: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Applies `function` to the elements of `x`."""
    return elementwise([x], x.type, lambda scalars: function(scalars[0]))


def combine_elements(x: ir.Value, y: ir.Value, function: Combine) -> ir.Value:
    """Applies `function` to the elements of `x` and of `y`, which broadcasts to `x`."""
    return elementwise([x, y], x.type, lambda scalars: function(scalars[0], scalars[1]))


def extent_product(x: ir.Value, axes: Sequence[int]) -> int:
    """The number of elements of `x` along `axes`."""
    count = 1
    for axis in axes:
        count *= static_shape(x)[axis]
    return count


def mean(x: ir.Value, axes: Sequence[int], keepdims: bool = True) -> ir.Value:
    """The mean of `x` over `axes`."""
    total = reduce(x, axes, 0, sum_step, keepdims)
    count = extent_product(x, axes)
    return map_elements(total, lambda value: div(value, constant(value.type, count)))


def log_sum_exp(x: ir.Value, axes: Sequence[int], keepdims: bool) -> ir.Value:
    """`log(sum(exp(x)))`, shifted by the maximum to avoid overflow, if that is finite: inf - inf is NaN."""
    element = tensor_type(x).element_type
    top = reduce(x, axes, lowest(element), maximum_step)
    shifted = combine_elements(x, top, lambda value, peak: math.exp(sub(value, _finite(peak))))
    total = reduce(shifted, axes, 0, sum_step, keepdims)
    flat_top = top if keepdims else reduce(x, axes, lowest(element), maximum_step, keepdims=False)
    return combine_elements(total, flat_top, lambda value, peak: add(math.log(value), _finite(peak)))


def _finite(value: ir.Value) -> ir.Value:
    """The nearest finite value; NaN stays."""
    largest = float(ml_dtypes.finfo(dtype_of(str(value.type))).max)  # type: ignore[no-untyped-call]
    return maximum(minimum(value, constant(value.type, largest)), constant(value.type, -largest))


def _square(x: ir.Value) -> ir.Value:
    return mul(x, x)


@rule(
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_l1",
    "reduce_l2",
    "reduce_log_sum",
    "reduce_log_sum_exp",
    "reduce_sum_square",
)
def lower_reduction(op: ir.Operation) -> list[ir.Value]:
    """Lowers a `graph.reduce_*` to `linalg.generic`s: reductions and elementwise computations."""
    reduction = graph.Reduction(op)
    x = reduction.x
    build = _REDUCTIONS[op.name.removeprefix("graph.reduce_")]
    return [build(x, reduction.axes, reduction.keepdims, tensor_type(x).element_type)]


_REDUCTIONS: dict[str, Callable[[ir.Value, Sequence[int], bool, ir.Type], ir.Value]] = {
    "sum": lambda x, axes, keep, _type: reduce(x, axes, 0, sum_step, keep),
    "mean": lambda x, axes, keep, _type: mean(x, axes, keep),
    "max": lambda x, axes, keep, element: reduce(x, axes, lowest(element), maximum_step, keep),
    "min": lambda x, axes, keep, element: reduce(x, axes, highest(element), minimum_step, keep),
    "prod": lambda x, axes, keep, _type: reduce(x, axes, 1, mul, keep),
    "l1": lambda x, axes, keep, _type: reduce(x, axes, 0, sum_step, keep, absolute),
    "l2": lambda x, axes, keep, _type: map_elements(
        reduce(x, axes, 0, sum_step, keep, _square), lambda value: math.sqrt(value)
    ),
    "log_sum": lambda x, axes, keep, _type: map_elements(
        reduce(x, axes, 0, sum_step, keep), lambda value: math.log(value)
    ),
    "log_sum_exp": lambda x, axes, keep, _type: log_sum_exp(x, axes, keep),
    "sum_square": lambda x, axes, keep, _type: reduce(x, axes, 0, sum_step, keep, _square),
}
