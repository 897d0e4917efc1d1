"""Sliding windows: the attributes and the shape arithmetic that convolution and pooling share."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.shape_rules import check_least, check_length
from mlc.dialects.graph.sizes import falls_below, maximum, minimum
from mlc.dialects.graph.spec import Attribute, Call, Dim, Shape, ShapeError

STRIDES = Attribute("strides", "ints", "step of the window per spatial dim, at least 1")
DILATIONS = Attribute("dilations", "ints", "distance of the window's elements per spatial dim, at least 1")
PADS = Attribute("pads", "ints", "padding at the begin of every spatial dim, then at the end of every one")
LAYOUT = Attribute("layout", "str", "order of the dims", "NCHW", ("NCHW", "NCHWc"))


def spatial_dims(call: Call, spatial: int) -> Shape:
    """x's spatial dims in its layout; x must have `spatial` of them."""
    rank = spatial + (2 if call.layout == "NCHW" else 3)
    if call.x.rank != rank or spatial < 1:
        why = f"layout {call.layout} with {spatial} spatial dims (entries of strides)"
        raise ShapeError("x", f"has rank {call.x.rank} instead of {rank}, {why}: {call.x}")
    return call.x.shape[2 : 2 + spatial]


def check_windows(call: Call, spatial: int) -> None:
    """Lengths and ranges of strides, dilations and pads."""
    for name, count, least in (("strides", spatial, 1), ("dilations", spatial, 1), ("pads", 2 * spatial, 0)):
        check_length(name, call[name], count, f"{spatial} spatial dims")
        check_least(name, call[name], least)


def window_dims(call: Call, dims: Sequence[Dim], kernel: Sequence[Dim], ceil_mode: bool = False) -> Shape:
    """The number of window positions per spatial dim. An unknown dim or kernel gives an unknown dim."""
    result: list[Dim] = []
    for axis, (size, width) in enumerate(zip(dims, kernel, strict=True)):
        result.append(
            None if size is None or width is None else _positions(call, axis, size, width, ceil_mode)
        )
    return tuple(result)


def _positions(call: Call, axis: int, size: int, kernel: int, ceil_mode: bool) -> int:
    stride, dilation = call.strides[axis], call.dilations[axis]
    begin, end = call.pads[axis], call.pads[axis + len(call.strides)]
    extent = dilation * (kernel - 1) + 1
    room = size + begin + end - extent
    if falls_below(kernel, 1, "its window is empty") or falls_below(room, 0, "its window is larger than x"):
        window = f"{extent} (kernel {kernel}, dilation {dilation})"
        padded = f"{size} padded by {begin} and {end}"
        raise ShapeError("x", f"spatial dim {axis} ({padded}) is smaller than the window {window}: {call.x}")
    if not ceil_mode:
        return room // stride + 1
    # A window that would start in the padding at the end is left out (ONNX MaxPool, AveragePool).
    last = -(-room // stride)
    return last + minimum(1, maximum(0, -(-(size + begin) // stride) - last))
