"""Reductions over axes, arg_max/arg_min, cumulative sums and products."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.elements import NUMERIC, ORDERED, ElementClass
from mlc.dialects.graph.shape_rules import check_axes, check_axis, product
from mlc.dialects.graph.sizes import falls_below, minimum
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    Shape,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "reduction",
    "Axes are listed and non-negative; an empty list reduces nothing. `keepdims` leaves reduced dims as 1.",
)

AXES = Attribute("axes", "ints", "the reduced axes, each in [0, rank)")
KEEPDIMS = Attribute("keepdims", "bool", "reduced dims stay as 1", True)


def reduced_shape(shape: Shape, axes: Sequence[int], keepdims: bool) -> Shape:
    """Returns the shape after reducing `axes`."""
    if keepdims:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


def _reduce(call: OpCall) -> GraphTensor:
    check_axes("axes", call.axes, call.x.rank)
    return GraphTensor(reduced_shape(call.x.shape, call.axes, call.keepdims), call.x.element)


def _arg_reduce(call: OpCall) -> GraphTensor:
    check_axis("axis", call.axis, call.x.rank)
    dim = call.x.shape[call.axis]
    others = product(reduced_shape(call.x.shape, (call.axis,), True))
    # A result without elements has no position.
    least = 1 if others is None else minimum(1, others)
    if dim is not None and falls_below(dim, least, "it looks for a position along an axis without elements"):
        raise ShapeError("x", f"has no elements along axis {call.axis}: {call.x}")
    return GraphTensor(reduced_shape(call.x.shape, (call.axis,), call.keepdims), "i64")


def _along_axis(call: OpCall) -> GraphTensor:
    check_axis("axis", call.axis, call.x.rank)
    return call.x


def reduction(name: str, summary: str, onnx: str, elements: ElementClass = NUMERIC) -> None:
    """Defines a reduction of `x` over `axes`."""
    shapes = "x without the axes, or with 1 instead of their dims; x's element type."
    define(
        OpSpec(
            name, FAMILY, summary, shapes, (onnx,), (OperandSpec("x", elements),), _reduce, (AXES, KEEPDIMS)
        )
    )


reduction("reduce_sum", "sum", "ReduceSum")
reduction("reduce_mean", "arithmetic mean", "ReduceMean, GlobalAveragePool")
reduction("reduce_max", "largest element; NaN if there is one", "ReduceMax, GlobalMaxPool", ORDERED)
reduction("reduce_min", "smallest element; NaN if there is one", "ReduceMin", ORDERED)
reduction("reduce_prod", "product", "ReduceProd")
reduction("reduce_l1", "sum of absolute values", "ReduceL1")
reduction("reduce_l2", "square root of the sum of squares", "ReduceL2")
reduction("reduce_log_sum", "logarithm of the sum", "ReduceLogSum")
reduction("reduce_log_sum_exp", "logarithm of the sum of exponentials, without overflow", "ReduceLogSumExp")
reduction("reduce_sum_square", "sum of squares", "ReduceSumSquare")


def arg_reduction(name: str, summary: str, onnx: str) -> None:
    """Defines an op that finds a position along `axis`."""
    attributes = (
        Attribute("axis", "int", "the searched axis, in [0, rank)"),
        KEEPDIMS,
        Attribute("select_last_index", "bool", "of equal elements take the last, not the first", False),
    )
    shapes = "x without the axis, or with 1 instead of its dim; elements i64."
    define(
        OpSpec(name, FAMILY, summary, shapes, (onnx,), (OperandSpec("x", NUMERIC),), _arg_reduce, attributes)
    )


arg_reduction("arg_max", "position of the largest element", "ArgMax")
arg_reduction("arg_min", "position of the smallest element", "ArgMin")


def scan(name: str, summary: str, onnx: str) -> None:
    """Defines an op that combines the elements along one axis up to each position."""
    attributes = (
        Attribute("axis", "int", "the axis, in [0, rank)"),
        Attribute("exclusive", "bool", "leave out the position's own element", False),
        Attribute("reverse", "bool", "begin at the end", False),
    )
    shapes = "The result has x's shape and element type."
    define(
        OpSpec(name, FAMILY, summary, shapes, (onnx,), (OperandSpec("x", NUMERIC),), _along_axis, attributes)
    )


scan("cumsum", "sums of the elements up to each position", "CumSum")
scan("cumprod", "products of the elements up to each position", "CumProd")
