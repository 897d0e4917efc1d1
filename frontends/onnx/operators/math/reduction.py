"""Reductions, ArgMax/ArgMin, CumSum, CumProd and global pooling."""

from __future__ import annotations

from functools import partial

from onnx import TensorProto

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, check_rank, check_shape
from mlc.frontends.onnx.operators.common.axis_masks import Rearrangement
from mlc.frontends.onnx.operators.common.dynamic_values import (
    axis_mask,
    checked_axes,
    declared_rank,
    dims_where,
    i64_scalar,
)
from mlc.frontends.onnx.operators.common.expressions import dim, dims, formula
from mlc.frontends.onnx.operators.common.p_norms import power_of_abs, root
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_REDUCTIONS = {
    "ReduceSum": "reduce_sum", "ReduceMean": "reduce_mean", "ReduceMax": "reduce_max",
    "ReduceMin": "reduce_min", "ReduceProd": "reduce_prod", "ReduceL1": "reduce_l1",
    "ReduceL2": "reduce_l2", "ReduceLogSum": "reduce_log_sum", "ReduceLogSumExp": "reduce_log_sum_exp",
    "ReduceSumSquare": "reduce_sum_square",
}  # fmt: skip
_FLOATING = {"ReduceL2", "ReduceLogSum", "ReduceLogSumExp"}
_ARG = {"ArgMax": "arg_max", "ArgMin": "arg_min"}
_GLOBAL = {"GlobalAveragePool": "reduce_mean", "GlobalMaxPool": "reduce_max"}


@onnx_operator(*_REDUCTIONS)
def reduction(node: Node) -> Value:
    """Imports reductions. `axes` is an attribute up to opset 17 (ReduceSum: 12), then an input; none means
    all of them."""
    x = node.input(0)
    # Roots and logarithms of integers are truncated to integers.
    wide = (
        node.cast(x, TensorProto.DOUBLE)
        if node.op_type in _FLOATING and element_types.is_integer(x.onnx_type)
        else x
    )
    axes_input = node.optional(1)
    if axes_input is not None and axes_input.shape == (0,):
        axes = []
    elif axes_input is not None and not axes_input.is_constant:
        return node.cast(_along_dynamic_axes(node, wide, axes_input), x.onnx_type)
    else:
        axes = node.ints_or_attr(1, "axes", ())
    if not axes and node.attr("noop_with_empty_axes", 0):
        # No axis is reduced, but what the operator does to each element remains.
        axes, keepdims = [], True
    else:
        axes = node.axis_set(axes, x.rank) if axes else list(range(x.rank))
        keepdims = bool(node.attr("keepdims", 1))
    return node.cast(node.emit(_REDUCTIONS[node.op_type], wide, axes=axes, keepdims=keepdims), x.onnx_type)


def _along_dynamic_axes(node: Node, x: Value, axes: Value) -> Value:
    """Reduces along dynamic axes, of any number."""
    if not x.rank:
        return node.emit(_REDUCTIONS[node.op_type], x, axes=[], keepdims=True)
    mask, (count,) = formula(node, axis_mask(node, axes, x.rank)), axes.shape
    if not node.attr("noop_with_empty_axes", 0):
        mask = mask | dim(node, count).equals(0)
    matrix = Rearrangement(node, x.shape, mask.value).apart(x)
    reduced = node.emit(_REDUCTIONS[node.op_type], matrix, axes=[1], keepdims=False)
    if node.attr("keepdims", 1):
        return node.reshape(reduced, mask.select(1, dims(node, x.shape)).read())
    rank = x.rank - count if isinstance(count, int) and count else declared_rank(node)
    return node.reshape(reduced, dims_where(node, x.shape, mask.apply("not").value, rank))


@onnx_operator(*_ARG)
def arg_reduction(node: Node) -> Value:
    """Imports ArgMax and ArgMin."""
    x = node.input(0)
    return node.emit(
        _ARG[node.op_type],
        x,
        axis=node.axis(node.attr("axis", 0), x.rank),
        keepdims=bool(node.attr("keepdims", 1)),
        select_last_index=bool(node.attr("select_last_index", 0)),
    )


@onnx_operator("CumSum", since=11)
@onnx_operator("CumProd", since=26)
def scan(node: Node) -> Value:
    """Imports CumSum and CumProd. Along a dynamic axis the results of all axes are computed, of which one is
    selected."""
    x, axis = node.input(0), node.input(1)
    flags = {name: bool(node.attr(name, 0)) for name in ("exclusive", "reverse")}
    scans = partial(node.emit, node.op_type.lower(), x, **flags)
    if axis.shape != (1,):
        check_shape(axis, [], "input 1")
    if axis.is_constant:
        return scans(axis=node.axis(node.ints(1)[0], x.rank))
    if x.rank == 1:
        # Nothing else reads the axis.
        return node.emit(node.op_type.lower(), checked_axes(node, axis, 1, x), axis=0, **flags)
    given = checked_axes(node, i64_scalar(node, axis), x.rank)
    wanted = node.emit("mod", given, i64_scalar(node, x.rank), fmod=False)
    result = scans(axis=0)
    for other in range(1, x.rank):
        is_other = node.emit("equal", wanted, i64_scalar(node, other))
        result = node.emit("where", is_other, scans(axis=other), result)
    return result


@onnx_operator(*_GLOBAL)
def global_pool(node: Node) -> Value:
    """Imports GlobalAveragePool and GlobalMaxPool."""
    x = node.input(0)
    check_rank(x, 3, "input 0")
    return node.emit(_GLOBAL[node.op_type], x, axes=list(range(2, x.rank)), keepdims=True)


@onnx_operator("GlobalLpPool")
def global_lp_pool(node: Node) -> Value:
    """Imports GlobalLpPool."""
    x, p = node.input(0), node.attr("p", 2)
    check_rank(x, 3, "input 0")
    total = node.emit("reduce_sum", power_of_abs(node, x, p), axes=list(range(2, x.rank)), keepdims=True)
    return root(node, total, p)
