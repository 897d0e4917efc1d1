"""Convolutions and pooling: sliding windows over inputs that are already padded
(`graph-materialize-padding`)."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import PassError
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    empty,
    full_tensor,
    generic,
    static_shape,
    tensor_type,
)
from mlc.passes.common.target import target_of
from mlc.passes.graph.windows.row_windows import is_row_window
from mlc.passes.lowering.common.rule import integers, rule
from mlc.passes.lowering.common.scalars import div, maximum
from mlc.passes.lowering.rules.contraction import multiply_add_wide
from mlc.passes.lowering.rules.reduction import lowest, map_elements, sum_step
from mlc.passes.lowering.rules.row_windows import row_window


def _require_unpadded(op: ir.Operation) -> None:
    if any(integers(op, "pads")):
        raise PassError(f"'{op.name}' has pads; run graph-materialize-padding first", op.location)


def _window(
    op: ir.Operation, places: list[ir.AffineExpr], offsets: list[ir.AffineExpr]
) -> list[ir.AffineExpr]:
    """Where output position `places` and window offset `offsets` read the input: `place * stride + offset
    * dilation`."""
    strides, dilations = integers(op, "strides"), integers(op, "dilations")
    return [
        place * stride + offset * dilation
        for place, offset, stride, dilation in zip(places, offsets, strides, dilations, strict=True)
    ]


@rule("conv")
def lower_conv(op: ir.Operation) -> list[ir.Value]:
    conv = graph.Conv(op)
    if is_row_window(op, target_of(op)):
        return [row_window(op, static_shape(conv.w)[2:], "product", 0.0)]
    _require_unpadded(op)
    spatial = len(integers(op, "strides"))
    if conv.layout == "NCHW":
        return [_conv_plain(op, spatial)]
    if len(static_shape(conv.w)) == spatial + 2:
        return [_conv_depthwise(op, spatial)]
    return [_conv_blocked(op, spatial)]


def _conv_plain(op: ir.Operation, spatial: int) -> ir.Value:
    """Iteration space: n, o, place..., then i, offset... (reductions)."""
    w_shape, result = static_shape(op.operands[1]), static_shape(op.results[0])
    group = op.attributes["group"].value
    count = 3 + 2 * spatial
    all_dims = dims(count)
    n, o, places = all_dims[0], all_dims[1], all_dims[2 : 2 + spatial]
    i, offsets = all_dims[2 + spatial], all_dims[3 + spatial :]
    if group == 1 and not all(isinstance(each, int) for each in (result[1], w_shape[1])):
        channel = i
    else:
        channel = ir.AffineExpr.get_floor_div(o, result[1] // group) * w_shape[1] + i
    return _contract(
        op,
        affine_map(count, [n, channel, *_window(op, places, offsets)]),
        affine_map(count, [o, i, *offsets]),
        2 + spatial,
    )


def _conv_blocked(op: ir.Operation, spatial: int) -> ir.Value:
    """Iteration space: n, output block, place..., o, then input block, offset..., i (reductions)."""
    w_shape, result = static_shape(op.operands[1]), static_shape(op.results[0])
    group_blocks = result[1] // op.attributes["group"].value
    count = 5 + 2 * spatial
    all_dims = dims(count)
    n, outputs, places, o = all_dims[0], all_dims[1], all_dims[2 : 2 + spatial], all_dims[2 + spatial]
    inputs, offsets, i = all_dims[3 + spatial], all_dims[4 + spatial : -1], all_dims[-1]
    block = ir.AffineExpr.get_floor_div(outputs, group_blocks) * w_shape[1] + inputs
    if group_blocks == result[1]:
        block = inputs
    return _contract(
        op,
        affine_map(count, [n, block, *_window(op, places, offsets), i]),
        affine_map(count, [outputs, inputs, *offsets, i, o]),
        3 + spatial,
    )


def _conv_depthwise(op: ir.Operation, spatial: int) -> ir.Value:
    """Iteration space: n, block, place..., c, then offset... (reductions)."""
    count = 3 + 2 * spatial
    all_dims = dims(count)
    n, block, places, c = all_dims[0], all_dims[1], all_dims[2 : 2 + spatial], all_dims[2 + spatial]
    offsets = all_dims[3 + spatial :]
    return _contract(
        op,
        affine_map(count, [n, block, *_window(op, places, offsets), c]),
        affine_map(count, [block, *offsets, c]),
        3 + spatial,
    )


def _contract(op: ir.Operation, x_map: ir.AffineMap, w_map: ir.AffineMap, parallel: int) -> ir.Value:
    """The first `parallel` iteration dims are the result's."""
    result, element = static_shape(op.results[0]), tensor_type(op.results[0]).element_type
    count = x_map.n_dims
    return generic(
        list(op.operands),
        [x_map, w_map],
        full_tensor(result, element, 0),
        affine_map(count, dims(count)[:parallel]),
        multiply_add_wide,
        reductions=range(parallel, count),
    )


def _pool(op: ir.Operation, neutral: float, combine: Callable[[ir.Value, ir.Value], ir.Value]) -> ir.Value:
    """Iteration space: the result's dims, then the window's. An empty tensor gives the window its extents."""
    kernel, result = integers(op, "kernel"), static_shape(op.results[0])
    if is_row_window(op, target_of(op)):
        return row_window(op, kernel, "maximum" if op.name == graph.MaxPool.NAME else "sum", neutral)
    _require_unpadded(op)
    element, rank, count = tensor_type(op.results[0]).element_type, len(result), len(result) + len(kernel)
    all_dims = dims(count)
    places, offsets = all_dims[2 : 2 + len(kernel)], all_dims[rank:]
    read = [*all_dims[:2], *_window(op, places, offsets), *all_dims[2 + len(kernel) : rank]]
    return generic(
        [op.operands[0], empty(kernel, element)],
        [affine_map(count, read), affine_map(count, offsets)],
        full_tensor(result, element, neutral),
        affine_map(count, all_dims[:rank]),
        lambda value, _window, accumulator: combine(accumulator, value),
        reductions=range(rank, count),
    )


@rule("max_pool")
def lower_max_pool(op: ir.Operation) -> list[ir.Value]:
    return [_pool(op, lowest(tensor_type(graph.MaxPool(op).result).element_type), maximum)]


@rule("average_pool")
def lower_average_pool(op: ir.Operation) -> list[ir.Value]:
    total = _pool(op, 0, sum_step)
    size = 1
    for extent in integers(op, "kernel"):
        size *= extent
    return [map_elements(total, lambda value: div(value, constant(value.type, size)))]
