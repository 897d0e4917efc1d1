"""Convolutions and pooling: sliding windows over inputs that are already padded
(`graph-materialize-padding`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from itertools import product
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
from mlc.passes.common.padding import PADDING
from mlc.passes.common.target import target_of
from mlc.passes.graph.windows.mark_padding import PADDING as GRAPH_PADDING
from mlc.passes.graph.windows.row_windows import is_row_window
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import maximum_step, mul
from mlc.passes.lowering.rules.contraction import multiply_add_wide
from mlc.passes.lowering.rules.reduction import Combine, lowest, map_elements, sum_step
from mlc.passes.lowering.windows.row_windows import row_window


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
    made = generic(
        [conv.x, conv.w],
        [x_map, w_map],
        full_tensor(result, element, 0),
        affine_map(count, dims(count)[:parallel]),
        multiply_add_wide,
        reductions=range(parallel, count),
    )
    if GRAPH_PADDING in conv.operation.attributes:
        made.owner.operation.attributes[PADDING] = conv.operation.attributes[GRAPH_PADDING]
    return made


def _pool(op: ir.Operation, neutral: float, combine: Combine) -> ir.Value:
    """Combines the elements of windows of an image that is padded already, or by rows."""
    pool = graph.Pool(op)
    kernel, result = pool.kernel, static_shape(pool.result)
    if is_row_window(op, target_of(op)):
        return row_window(op, kernel, "maximum" if graph.MaxPool.isa(op) else "sum", neutral)
    _require_unpadded(op)
    steps = [*zip(kernel, pool.strides, pool.dilations, strict=True)]
    if _WHOLE.get() or pool.layout != "NCHW" or max(kernel) > MOST_TAPS or _is_dense(pool):
        return _slide(pool.x, result, steps, neutral, combine)
    # Columns last, so that elements next to each other are combined; all others at once where they are few.
    *outer, last = range(len(kernel))
    groups = [outer] if prod(kernel[:-1]) <= MOST_TAPS else [[axis] for axis in outer]
    value = pool.x
    for axes in (*groups, [last]):
        value = _combine_taps(value, result, {2 + axis: steps[axis] for axis in axes}, combine)
    return value


def _is_dense(pool: graph.Pool) -> bool:
    """Whether windows begin one element apart along a dim: a register tile sums their columns, which are
    those of the image. `linalg.generic` would take its extents from such reads, too."""
    return any(stride == 1 < extent for extent, stride in zip(pool.kernel, pool.strides, strict=True))


_WHOLE: ContextVar[bool] = ContextVar("whole windows", default=False)


@contextmanager
def whole_windows(whole: bool) -> Iterator[None]:
    """Sets whether pools that are lowered within are one computation each."""
    token = _WHOLE.set(whole)
    try:
        yield
    finally:
        _WHOLE.reset(token)


# Along more elements of a window there is a loop.
MOST_TAPS = 16
# Extent, stride and dilation of a window along one dim.
Taps = tuple[int, int, int]


def _combine_taps(x: ir.Value, result: Sequence[int], taps: Mapping[int, Taps], combine: Combine) -> ir.Value:
    """Combines the elements of windows along the axes of `taps` elementwise: for each element of the window,
    `x` is an operand. So one iteration reads all of a window, and vectors run along the last dim."""
    if all(extent == stride == 1 for extent, stride, _ in taps.values()):
        return x
    shape = [result[axis] if axis in taps else size for axis, size in enumerate(static_shape(x))]
    count = len(shape)
    maps = []
    for offsets in product(*(range(extent) for extent, _, _ in taps.values())):
        read = dims(count)
        for (axis, (_, stride, dilation)), offset in zip(taps.items(), offsets, strict=True):
            read[axis] = read[axis] * stride + offset * dilation
        maps.append(affine_map(count, read))
    return generic(
        [x] * len(maps),
        maps,
        empty(shape, tensor_type(x).element_type),
        affine_map(count, dims(count)),
        lambda *values: reduce(combine, values[:-1]),
    )


def _slide(
    x: ir.Value, result: Sequence[int], steps: Sequence[Taps], neutral: float, combine: Combine
) -> ir.Value:
    """Reduces windows. Iteration space: the result's dims, then the window's. An empty tensor gives the
    window its extents."""
    kernel = [extent for extent, _, _ in steps]
    element, rank, count = tensor_type(x).element_type, len(result), len(result) + len(kernel)
    all_dims = dims(count)
    read = all_dims[:rank]
    for axis, (offset, (_, stride, dilation)) in enumerate(zip(all_dims[rank:], steps, strict=True), 2):
        read[axis] = read[axis] * stride + offset * dilation
    return generic(
        [x, empty(kernel, element)],
        [affine_map(count, read), affine_map(count, all_dims[rank:])],
        full_tensor(result, element, neutral),
        affine_map(count, all_dims[:rank]),
        lambda value, _window, accumulator: combine(accumulator, value),
        reductions=range(rank, count),
    )


@rule("max_pool")
def lower_max_pool(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.max_pool` to a `linalg.generic` or a `tloop.row_window`. Raises PassError for pads."""
    return [_pool(op, lowest(tensor_type(graph.MaxPool(op).result).element_type), maximum_step)]


@rule("average_pool")
def lower_average_pool(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.average_pool` to sums over windows and a product. Raises PassError if pads are left."""
    total = _pool(op, 0, sum_step)
    share = 1 / prod(graph.AveragePool(op).kernel)
    return [map_elements(total, lambda value: mul(value, constant(value.type, share)))]
