"""ConvTranspose as convolutions without multiplications by inserted zeros.

The phases of the result (see `transposed_axes`) are channels of one convolution, whose elements are then
interleaved; phases with fewer elements of the filter than others are those of another one. With few channels
the products of x with all elements of the filter are a pointwise convolution, and those that land on the same
element are added afterwards.

Filters or paddings of dynamic size take a convolution of x with zeros between its elements.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from mlc.dialects.graph.sizes import always_less, differ, floordiv
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes, take_range
from mlc.frontends.onnx.operators.common.expressions import counting, dim, formula, read_along
from mlc.frontends.onnx.operators.common.sliding_windows import kernel_of
from mlc.frontends.onnx.operators.nn.convolution import add_bias, in_groups, per_channel
from mlc.frontends.onnx.operators.nn.transposed_axes import Form, Phases, SpatialAxis, axes_of, cheapest_form
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def between_zeros(node: Node, x: Value, w: Value, group: int, axes: list[SpatialAxis]) -> Value:
    """Returns the result without bias for dynamic sizes: a convolution, with the flipped filter, of x with
    zeros between its elements and around them."""
    spread = formula(node, x)
    for position, axis in enumerate(axes, 2):
        reach = (axis.kernel - 1) * axis.dilation
        at = counting(node, axis.length + reach) - dim(node, reach - axis.begin)
        inside = (at >= 0) & (at % axis.stride).equals(0) & (at < dim(node, axis.size * axis.stride))
        spread = read_along(spread, position, (at // axis.stride).within(0, dim(node, axis.size) - 1), inside)
    channels, outputs, *kernel = w.shape
    flipped = formula(node, node.reshape(w, [group, floordiv(channels, group), outputs, *kernel]))
    for position, axis in enumerate(axes, 3):
        flipped = read_along(flipped, position, dim(node, axis.kernel) - 1 - counting(node, axis.kernel))
    order = [0, 2, 1, *range(3, 3 + len(axes))]
    moved = node.emit("transpose", flipped.value, permutation=order)
    weight = node.reshape(moved, [group * outputs, floordiv(channels, group), *kernel])
    return in_groups(
        node,
        spread.value,
        weight,
        group,
        strides=[1] * len(axes),
        dilations=[axis.dilation for axis in axes],
        pads=[0] * (2 * len(axes)),
    )


@onnx_operator("ConvTranspose")
def conv_transpose(node: Node) -> Value:
    """Imports ConvTranspose. Raises NodeError for shapes that do not fit."""
    x, w, group = node.input(0), node.input(1), int(node.attr("group", 1))
    channels, kernel = w.shape[0], kernel_of(node, w)
    fits = not (differ(x.shape[1], channels) or differ(channels % max(group, 1), 0))
    if x.rank != len(kernel) + 2 or group < 1 or not fits:
        raise NodeError(
            f"a weight {w.shape_text} with group {group} does not fit an input of shape {x.shape_text}"
        )
    axes = axes_of(node, x, kernel)
    if any(always_less(axis.length, 1) for axis in axes):
        raise NodeError(f"the result's spatial dims {[axis.length for axis in axes]} are not positive")
    if not (w.is_static and all(axis.is_static for axis in axes)):
        return add_bias(node, between_zeros(node, x, w, group, axes))
    return _of_static_filter(node, x, w, group, axes)


def _of_static_filter(node: Node, x: Value, w: Value, group: int, axes: list[SpatialAxis]) -> Value:
    channels, outputs, *kernel = node.shape(w)
    form = cheapest_form(channels, outputs, axes) if group == 1 else Form.TOGETHER
    if form is Form.ADDED:
        return add_bias(node, _interleave(node, _add_products(node, x, w, axes), axes))
    if form is Form.APART:
        axes = [replace(axis, is_apart=axis.is_uneven) for axis in axes]
    split = node.reshape(w, [group, channels // group, outputs, *kernel])
    phases = _compute_phases(node, _pad_image(node, x, axes), split, axes, [])
    strides, positions = [axis.stride for axis in axes], [axis.positions for axis in axes]
    groups = [group] if group > 1 else []
    result = node.reshape(phases, [x.shape[0], *groups, *strides, outputs, *positions])
    return _interleave(node, result, axes)


def _add_products(node: Node, x: Value, w: Value, axes: list[SpatialAxis]) -> Value:
    """Returns `[batch, strides..., outputs, positions...]`: the products of each element of x with the
    filter are a pointwise convolution, those that land on one element of the result are added."""
    channels, outputs, *kernel = node.shape(w)
    rank, ones = len(axes), [1] * len(axes)
    order = [*range(2, 2 + rank), 1, 0]
    filters = node.reshape(
        node.emit("transpose", w, permutation=order), [prod(kernel) * outputs, channels, *ones]
    )
    products = _convolution(node, x, filters, 1, ones, [(0, 0)] * rank)
    result = node.reshape(products, [x.shape[0], *kernel, outputs, *x.shape[2:]])
    for index, axis in enumerate(axes):
        result = _add_taps(node, result, 1 + index, 2 + rank + index, axis)
    return result


def _add_taps(node: Node, products: Value, tap: int, position: int, axis: SpatialAxis) -> Value:
    """Adds the products along one axis: of its dims `tap` with the elements of the filter and `position` with
    those of x the first becomes the stride, the other the positions."""
    total = None
    [phases] = axis.phases
    for index, first in enumerate(range(0, axis.kernel, axis.stride)):
        count = min(axis.stride, axis.kernel - first)
        part = slice_axes(node, products, {tap: (first, count, 1)}) if count < axis.kernel else products
        before = index * axis.tap_distance - phases.lead
        part = _shift(node, part, {position: (before, axis.positions - axis.size - before)})
        part = _pad_end(node, part, tap, axis.stride - count)
        total = part if total is None else node.emit("add", total, part)
    assert total is not None, "filters are not empty"
    return total


def _shift(node: Node, x: Value, widths: dict[int, tuple[int, int]]) -> Value:
    """Pads dims before and after by the widths; negative ones cut elements off, also of what is padded."""
    low, high = ([max(widths.get(axis, (0, 0))[end], 0) for axis in range(x.rank)] for end in (0, 1))
    cut = {
        axis: (max(-before, 0), x.shape[axis] + before + after, 1)
        for axis, (before, after) in widths.items()
        if min(before, after) < 0
    }
    if any([*low, *high]):
        x = node.emit("pad", x, low=low, high=high, mode="constant", value=0.0)
    return _slice_dims(node, x, cut)


def _pad_image(node: Node, x: Value, axes: list[SpatialAxis]) -> Value:
    """Returns x without what no phase reads, with the padding that any of several convolutions needs; a
    single one adds it."""
    widths = {}
    for position, axis in enumerate(axes, 2):
        low, high = (max(ends) for ends in zip(*(axis.pads(phases) for phases in axis.phases), strict=True))
        widths[position] = (low, high) if len(axis.phases) > 1 else (min(low, 0), min(high, 0))
    return _shift(node, x, widths)


def _compute_phases(node: Node, x: Value, w: Value, axes: list[SpatialAxis], chosen: list[Phases]) -> Value:
    """Returns `[batch, phases..., rest, positions...]` of the padded x and of w, `[group, channels / group,
    outputs, kernel...]`: the phases `chosen` of the first axes, and as one dim all phases of the others with
    the outputs."""
    index = len(chosen)
    if index == len(axes):
        return _compute_chosen(node, x, w, axes, chosen)
    before = prod(phases.count for phases in chosen)
    # A transpose of a concatenation along single phases would become one along the columns.
    outer = [before] if before > 1 else []
    parts = []
    for phases in axes[index].phases:
        part = _compute_phases(node, x, w, axes, [*chosen, phases])
        rest = prod(part.shape[1 : -len(axes)]) // before
        parts.append(node.reshape(part, [part.shape[0], *outer, rest, *part.shape[-len(axes) :]]))
    return parts[0] if len(parts) == 1 else node.emit("concat", *parts, axis=1 + len(outer))


def _compute_chosen(node: Node, x: Value, w: Value, axes: list[SpatialAxis], chosen: list[Phases]) -> Value:
    group, _, outputs, *_ = node.shape(w)
    read, pads = {}, []
    for position, (axis, phases) in enumerate(zip(axes, chosen, strict=True), 2):
        low, high = axis.pads(phases)
        if len(axis.phases) == 1:
            pads.append((max(low, 0), max(high, 0)))
            continue
        pads.append((0, 0))
        first = max(axis.pads(other)[0] for other in axis.phases) - low
        count = axis.size + low + high
        if first or count != x.shape[position]:
            read[position] = (first, count, 1)
    filters, dilations = _filters(node, w, axes, chosen), [axis.tap_distance for axis in axes]
    result = _convolution(node, _slice_dims(node, x, read), filters, group, dilations, pads)
    if node.optional(2) is None:
        return result
    count = prod(phases.count for phases in chosen)
    bias = _repeat_bias(node, node.input_of_shape(2, [group * outputs]), group, count)
    return node.emit("add", result, per_channel(node, bias, result.rank))


def _filters(node: Node, w: Value, axes: list[SpatialAxis], chosen: list[Phases]) -> Value:
    """Returns the weight `[group * phases... * outputs, channels / group, taps...]` of a convolution for the
    chosen phases."""
    group, channels, outputs, *_ = node.shape(w)
    for position, (axis, phases) in enumerate(zip(axes, chosen, strict=True)):
        w = _split_by_stride(node, w, 3 + 2 * position, axis, phases)
    # Each kernel dim has become taps and phases.
    taps = [3 + 2 * position for position in range(len(axes))]
    moved = node.emit("transpose", w, permutation=[0, *(tap + 1 for tap in taps), 2, 1, *taps])
    count = prod(phases.count for phases in chosen)
    return node.reshape(moved, [group * count * outputs, channels, *(phases.taps for phases in chosen)])


def _split_by_stride(node: Node, w: Value, dim: int, axis: SpatialAxis, phases: Phases) -> Value:
    """Splits a kernel dim of w into taps, the last one first, and phases."""
    before, after = node.shape(w)[:dim], node.shape(w)[dim + 1 :]
    kernel = axis.kernel
    if axis.stride > 1 and axis.dilation > 1:
        # Zeros between the filter's elements.
        w = _pad_end(node, node.reshape(w, [*before, kernel, 1, *after]), dim + 1, axis.dilation - 1)
        kernel *= axis.dilation
        w = node.reshape(w, [*before, kernel, *after])
    used = min(phases.taps * axis.stride, kernel - phases.first)
    w = slice_axes(node, w, {dim: (phases.first, used, 1)}) if used < kernel else w
    w = _pad_end(node, w, dim, phases.taps * axis.stride - used)
    w = node.reshape(w, [*before, phases.taps, axis.stride, *after])
    reverse = {dim: (phases.taps - 1, phases.taps, -1)} if phases.taps > 1 else {}
    some = {dim + 1: (0, phases.count, 1)} if phases.count < axis.stride else {}
    return slice_axes(node, w, {**reverse, **some}) if reverse or some else w


def _pad_end(node: Node, x: Value, dim: int, count: int) -> Value:
    """Pads the end of the dim with `count` zeros."""
    return _shift(node, x, {dim: (0, count)})


def _convolution(
    node: Node, x: Value, w: Value, group: int, dilations: list[int], pads: list[tuple[int, int]]
) -> Value:
    return node.emit(
        "conv",
        x,
        w,
        strides=[1] * len(dilations),
        dilations=dilations,
        pads=[low for low, _ in pads] + [high for _, high in pads],
        group=group,
        layout="NCHW",
    )


def _slice_dims(node: Node, x: Value, ranges: dict[int, tuple[Any, Any, int]]) -> Value:
    """Slices dims to (first index, count, step) of `ranges`, of which count may be dynamic."""
    for axis, (first, count, _) in ranges.items():
        x = (
            slice_axes(node, x, {axis: (first, count, 1)})
            if isinstance(count, int)
            else take_range(node, x, axis, first, count)
        )
    return x


def _repeat_bias(node: Node, bias: Value, group: int, phases: int) -> Value:
    """Repeats the bias of each group's channels for all phases."""
    (count,) = node.shape(bias)
    if phases == 1:
        return bias
    split = node.reshape(bias, [group, 1, count // group])
    copies = node.emit("expand", split, shape=[group, phases, count // group])
    return node.reshape(copies, [count * phases])


def _interleave(node: Node, result: Value, axes: list[SpatialAxis]) -> Value:
    """Returns the wanted part of `[batch, strides..., outputs, positions...]`, with groups after the batch if
    there are several, as `[batch, groups * outputs, spatial...]`."""
    rank = len(axes)
    lead, outputs = list(range(result.rank - 2 * rank - 1)), result.rank - rank - 1
    order = [axis for i in range(rank) for axis in (outputs + 1 + i, len(lead) + i)]
    moved = node.emit("transpose", result, permutation=[*lead, outputs, *order])
    channels = prod(moved.shape[1 : len(lead) + 1])
    spatial = [axis.stride * axis.positions for axis in axes]
    whole = node.reshape(moved, [result.shape[0], channels, *spatial])
    wanted = {
        position: (axis.begin - axis.origin, axis.length, 1)
        for position, axis in enumerate(axes, 2)
        if axis.length != axis.stride * axis.positions
    }
    return _slice_dims(node, whole, wanted)
