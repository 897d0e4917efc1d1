"""Convolutions and pooling: sliding windows over inputs that are already padded
(`graph-materialize-padding`)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

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
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import div, maximum
from mlc.passes.lowering.rules.contraction import multiply_add_wide
from mlc.passes.lowering.rules.reduction import lowest, map_elements, sum_step
from mlc.passes.lowering.rules.row_windows import row_window


def _require_unpadded(op: ir.Operation) -> None:
    if any(graph.Window(op).pads):
        raise PassError(f"'{op.name}' has pads; run graph-materialize-padding first", op.location)


def _window(
    op: ir.Operation, indices: list[ir.AffineExpr], offsets: list[ir.AffineExpr]
) -> list[ir.AffineExpr]:
    """Returns the indices of the input that output `indices` read at the `offsets` of the window: `index *
    stride + offset * dilation`."""
    window = graph.Window(op)
    return [
        index * stride + offset * dilation
        for index, offset, stride, dilation in zip(
            indices, offsets, window.strides, window.dilations, strict=True
        )
    ]


@rule("conv")
def lower_conv(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.conv` to a `linalg.generic` or a `tloop.row_window`. Raises PassError for pads."""
    conv = graph.Conv(op)
    if is_row_window(op, target_of(op)):
        return [row_window(op, static_shape(conv.w)[2:], "product", 0.0)]
    _require_unpadded(op)
    spatial = len(conv.strides)
    if conv.layout == "NCHW":
        return [_conv_plain(conv, spatial)]
    if len(static_shape(conv.w)) == spatial + 2:
        return [_conv_depthwise(conv, spatial)]
    return [_conv_blocked(conv, spatial)]


def _conv_plain(conv: graph.Conv, spatial: int) -> ir.Value:
    """Iteration space: n, o, index..., then i, offset... (reductions)."""
    w_shape, result = static_shape(conv.w), static_shape(conv.result)
    count = 3 + 2 * spatial
    all_dims = dims(count)
    n, o, indices = all_dims[0], all_dims[1], all_dims[2 : 2 + spatial]
    i, offsets = all_dims[2 + spatial], all_dims[3 + spatial :]
    if conv.group == 1 and not all(isinstance(extent, int) for extent in (result[1], w_shape[1])):
        channel = i
    else:
        channel = ir.AffineExpr.get_floor_div(o, result[1] // conv.group) * w_shape[1] + i
    return _contract(
        conv,
        affine_map(count, [n, channel, *_window(conv.operation, indices, offsets)]),
        affine_map(count, [o, i, *offsets]),
        2 + spatial,
    )


def _conv_blocked(conv: graph.Conv, spatial: int) -> ir.Value:
    """Iteration space: n, output block, index..., o, then input block, offset..., i (reductions)."""
    w_shape, result = static_shape(conv.w), static_shape(conv.result)
    group_blocks = result[1] // conv.group
    count = 5 + 2 * spatial
    all_dims = dims(count)
    n, outputs, indices, o = all_dims[0], all_dims[1], all_dims[2 : 2 + spatial], all_dims[2 + spatial]
    inputs, offsets, i = all_dims[3 + spatial], all_dims[4 + spatial : -1], all_dims[-1]
    block = ir.AffineExpr.get_floor_div(outputs, group_blocks) * w_shape[1] + inputs
    if group_blocks == result[1]:
        block = inputs
    return _contract(
        conv,
        affine_map(count, [n, block, *_window(conv.operation, indices, offsets), i]),
        affine_map(count, [outputs, inputs, *offsets, i, o]),
        3 + spatial,
    )


def _conv_depthwise(conv: graph.Conv, spatial: int) -> ir.Value:
    """Iteration space: n, block, index..., c, then offset... (reductions)."""
    count = 3 + 2 * spatial
    all_dims = dims(count)
    n, block, indices, c = all_dims[0], all_dims[1], all_dims[2 : 2 + spatial], all_dims[2 + spatial]
    offsets = all_dims[3 + spatial :]
    return _contract(
        conv,
        affine_map(count, [n, block, *_window(conv.operation, indices, offsets), c]),
        affine_map(count, [block, *offsets, c]),
        3 + spatial,
    )


def _contract(conv: graph.Conv, x_map: ir.AffineMap, w_map: ir.AffineMap, parallel: int) -> ir.Value:
    """Builds the contraction; its first `parallel` iteration dims are the result's."""
    result, element = static_shape(conv.result), tensor_type(conv.result).element_type
    count = x_map.n_dims
    return generic(
        [conv.x, conv.w],
        [x_map, w_map],
        full_tensor(result, element, 0),
        affine_map(count, dims(count)[:parallel]),
        multiply_add_wide,
        reductions=range(parallel, count),
    )


def _pool(op: ir.Operation, neutral: float, combine: Callable[[ir.Value, ir.Value], ir.Value]) -> ir.Value:
    """Iteration space: the result's dims, then the window's. An empty tensor gives the window its extents."""
    pool = graph.Pool(op)
    kernel, result = pool.kernel, static_shape(pool.result)
    if is_row_window(op, target_of(op)):
        return row_window(op, kernel, "maximum" if graph.MaxPool.isa(op) else "sum", neutral)
    _require_unpadded(op)
    element, rank, count = tensor_type(pool.result).element_type, len(result), len(result) + len(kernel)
    all_dims = dims(count)
    indices, offsets = all_dims[2 : 2 + len(kernel)], all_dims[rank:]
    read = [*all_dims[:2], *_window(op, indices, offsets), *all_dims[2 + len(kernel) : rank]]
    return generic(
        [pool.x, empty(kernel, element)],
        [affine_map(count, read), affine_map(count, offsets)],
        full_tensor(result, element, neutral),
        affine_map(count, all_dims[:rank]),
        lambda value, _window, accumulator: combine(accumulator, value),
        reductions=range(rank, count),
    )


@rule("max_pool")
def lower_max_pool(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.max_pool` to a `linalg.generic` or a `tloop.row_window`. Raises PassError for pads."""
    return [_pool(op, lowest(tensor_type(graph.MaxPool(op).result).element_type), maximum)]


@rule("average_pool")
def lower_average_pool(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.average_pool` to sums over windows and a division. Raises PassError if pads are left."""
    total = _pool(op, 0, sum_step)
    size = prod(graph.AveragePool(op).kernel)
    return [map_elements(total, lambda value: div(value, constant(value.type, size)))]
