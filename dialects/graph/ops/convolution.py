"""Convolution, pooling and local response normalisation, with the shape arithmetic of sliding windows."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.elements import FLOAT, NUMERIC, ElementClass
from mlc.dialects.graph.shape_rules import check_least, check_length, merge
from mlc.dialects.graph.sizes import differ, falls_below, maximum, minimum
from mlc.dialects.graph.spec import (
    Attribute,
    Dim,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    Shape,
    ShapeError,
    define,
    define_family,
)

STRIDES = Attribute("strides", "ints", "step of the window per spatial dim, at least 1")

DILATIONS = Attribute("dilations", "ints", "distance of the window's elements per spatial dim, at least 1")

PADS = Attribute("pads", "ints", "padding at the begin of every spatial dim, then at the end of every one")

LAYOUT = Attribute("layout", "str", "order of the dims", "NCHW", ("NCHW", "NCHWc"))


def spatial_dims(call: OpCall, spatial: int) -> Shape:
    """Returns the spatial dims of x in its layout; raises ShapeError unless there are `spatial`."""
    rank = spatial + (2 if call.layout == "NCHW" else 3)
    if call.x.rank != rank or spatial < 1:
        why = f"layout {call.layout} with {spatial} spatial dims (entries of strides)"
        raise ShapeError("x", f"has rank {call.x.rank} instead of {rank}, {why}: {call.x}")
    return call.x.shape[2 : 2 + spatial]


def check_windows(call: OpCall, spatial: int) -> None:
    """Raises ShapeError unless strides, dilations and pads have as many entries as needed, all in range."""
    for name, count, least in (("strides", spatial, 1), ("dilations", spatial, 1), ("pads", 2 * spatial, 0)):
        check_length(name, call[name], count, f"{spatial} spatial dims")
        check_least(name, call[name], least)


def window_dims(call: OpCall, dims: Sequence[Dim], kernel: Sequence[Dim], is_pool: bool = False) -> Shape:
    """Returns the number of window positions per spatial dim, None where the dim or the kernel is unknown."""
    result: list[Dim] = []
    for axis, (size, width) in enumerate(zip(dims, kernel, strict=True)):
        result.append(None if size is None or width is None else _positions(call, axis, size, width, is_pool))
    return tuple(result)


def _positions(call: OpCall, axis: int, size: int, kernel: int, is_pool: bool) -> int:
    ceil_mode = is_pool and call.ceil_mode
    stride, dilation = call.strides[axis], call.dilations[axis]
    begin, end = call.pads[axis], call.pads[axis + len(call.strides)]
    extent = dilation * (kernel - 1) + 1
    room = size + begin + end - extent
    # A pool has no position, or one that reaches over the end, where its window is larger by this.
    excess = 0 if not is_pool else 1 if stride == 1 else (stride - 1) * ceil_mode
    too_large = "its window is larger than x"
    if falls_below(kernel, 1, "its window is empty") or falls_below(room, -excess, too_large):
        window = f"{extent} (kernel {kernel}, dilation {dilation})"
        padded = f"{size} padded by {begin} and {end}"
        raise ShapeError("x", f"spatial dim {axis} ({padded}) is smaller than the window {window}: {call.x}")
    if not ceil_mode:
        return room // stride + 1
    # A window that would start in the padding at the end is left out (ONNX MaxPool, AveragePool).
    last = -(-room // stride)
    return last + minimum(1, maximum(0, -(-(size + begin) // stride) - last))


FAMILY = define_family(
    "convolution",
    "Sliding windows over the spatial dims. `strides`, `dilations` (one entry per spatial dim) and `pads` "
    "(ONNX's begin..., end..., not negative) are always written out. Layout NCHW stands for "
    "`[N, C, spatial...]` of any number of spatial dims; NCHWc splits the channels into blocks of c and puts "
    "the block's channels last: `[N, C/c, spatial..., c]`.",
)


def _channels(blocks: Dim, block: Dim) -> Dim:
    return None if blocks is None or block is None else blocks * block


def _check_group(group: int, inputs: Dim, outputs: Dim) -> None:
    if group < 1:
        raise ShapeError("group", f"{group} is below 1")
    for what, count in (("input channels", inputs), ("output channels", outputs)):
        if count is not None and differ(count % group, 0):
            raise ShapeError("group", f"{group} does not divide the {count} {what}")


def _conv_plain(call: OpCall, spatial: int) -> GraphTensor:
    """Returns the type for x [N, C, ...], w [O, C/group, ...]: [N, O, ...]."""
    batch, inputs = call.x.shape[:2]
    outputs, group_inputs = call.w.shape[:2]
    _check_group(call.group, inputs, outputs)
    per_group = None if inputs is None else inputs // call.group
    merge("w", per_group, group_inputs, f"input channels per group (dim 1) of {call.w} do not fit {call.x}")
    return GraphTensor(
        (batch, outputs, *window_dims(call, call.x.shape[2:], call.w.shape[2:])), call.x.element
    )


def _conv_depthwise_blocked(call: OpCall) -> GraphTensor:
    """Returns the type for x [N, C/c, ..., c], w [C/c, ..., c], group = C: that of x's layout."""
    batch, blocks, *dims, block = call.x.shape
    blocks = merge("w", blocks, call.w.shape[0], f"channel blocks (dim 0) of {call.w} do not fit {call.x}")
    block = merge(
        "w", block, call.w.shape[-1], f"block of channels (last dim) of {call.w} does not fit {call.x}"
    )
    merge("group", _channels(blocks, block), call.group, "a depthwise w needs one group per channel")
    return GraphTensor((batch, blocks, *window_dims(call, dims, call.w.shape[1:-1]), block), call.x.element)


def _conv_blocked(call: OpCall) -> GraphTensor:
    """Returns the type for x [N, C/c, ..., c], w [O/o, (C/group)/c, ..., c, o]: [N, O/o, ..., o]."""
    batch, blocks, *dims, block = call.x.shape
    output_blocks, group_blocks, *kernel, inner, output_block = call.w.shape
    merge("w", block, inner, f"block of channels (dim -2) of {call.w} does not fit {call.x}")
    _check_group(call.group, blocks, output_blocks)
    per_group = None if blocks is None else blocks // call.group
    merge("w", per_group, group_blocks, f"channel blocks per group (dim 1) of {call.w} do not fit {call.x}")
    return GraphTensor((batch, output_blocks, *window_dims(call, dims, kernel), output_block), call.x.element)


def _conv(call: OpCall) -> GraphTensor:
    spatial = len(call.strides)
    spatial_dims(call, spatial)
    check_windows(call, spatial)
    if call.layout == "NCHW":
        _check_weight_rank(call, (spatial + 2,))
        return _conv_plain(call, spatial)
    _check_weight_rank(call, (spatial + 4, spatial + 2))
    return _conv_blocked(call) if call.w.rank == spatial + 4 else _conv_depthwise_blocked(call)


def _check_weight_rank(call: OpCall, ranks: tuple[int, ...]) -> None:
    if call.w.rank not in ranks:
        expected = " or ".join(map(str, ranks))
        raise ShapeError(
            "w", f"has rank {call.w.rank} instead of {expected} (layout {call.layout}): {call.w}"
        )


define(
    OpSpec(
        "conv",
        FAMILY,
        "convolution (cross-correlation) without bias",
        "NCHW: x `[N, C, spatial...]`, w `[O, C/group, kernel...]`, result `[N, O, spatial...]`. NCHWc: x "
        "`[N, C/c, spatial..., c]`, w `[O/o, (C/group)/c, kernel..., c, o]`, result `[N, O/o, spatial..., "
        "o]`; each group has whole blocks. NCHWc depthwise (group = C = O): w `[C/c, kernel..., c]`, "
        "result `[N, C/c, spatial..., c]`; w's rank tells the two apart. A result dim is `(d + begin + end "
        "- dilation*(k-1) - 1) / stride + 1`.",
        ("Conv",),
        (OperandSpec("x", NUMERIC), OperandSpec("w", NUMERIC, like="x")),
        _conv,
        (STRIDES, DILATIONS, PADS, Attribute("group", "int", "channel groups that do not mix", 1), LAYOUT),
    )
)


KERNEL = Attribute("kernel", "ints", "size of the window per spatial dim, at least 1")

CEIL_MODE = Attribute(
    "ceil_mode", "bool", "count windows that reach over the end, unless they start there", False
)


def _pool(call: OpCall) -> GraphTensor:
    spatial = len(call.kernel)
    check_least("kernel", call.kernel, 1)
    check_length("strides", call.strides, spatial, "one per entry of kernel")
    dims = spatial_dims(call, spatial)
    check_windows(call, spatial)
    result = window_dims(call, dims, call.kernel, is_pool=True)
    return GraphTensor((*call.x.shape[:2], *result, *call.x.shape[2 + spatial :]), call.x.element)


def pooling(name: str, summary: str, onnx: str, elements: ElementClass, *attributes: Attribute) -> None:
    """Defines a pooling of `x` over windows of `kernel`."""
    shapes = (
        "x `[N, C, spatial...]` (NCHWc: `[N, C/c, spatial..., c]`), the result has this form with "
        "`(d + begin + end - dilation*(k-1) - 1) / stride + 1` positions, rounded up in ceil_mode."
    )
    common = (KERNEL, STRIDES, DILATIONS, PADS, CEIL_MODE, LAYOUT, *attributes)
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), (OperandSpec("x", elements),), _pool, common))


pooling("max_pool", "largest element of each window; padding counts as minus infinity", "MaxPool", NUMERIC)

pooling(
    "average_pool",
    "mean of each window",
    "AveragePool",
    FLOAT,
    Attribute("count_include_pad", "bool", "the mean's divisor counts padding", False),
)


def _lrn(call: OpCall) -> GraphTensor:
    blocked = call.layout == "NCHWc"
    if call.x.rank < (3 if blocked else 2):
        dims = "a batch dim, blocks and their channels" if blocked else "a batch and a channel dim"
        raise ShapeError("x", f"needs {dims}: {call.x}")
    if call.size < 1:
        raise ShapeError("size", f"{call.size} is below 1")
    return call.x


define(
    OpSpec(
        "lrn",
        FAMILY,
        "`x / (bias + alpha/size * s)^beta`, s the sum of squares over `size` neighbouring channels",
        "x is `[N, C, ...]` (NCHWc: `[N, C/c, ..., c]`); the result has its type.",
        ("LRN",),
        (OperandSpec("x", FLOAT),),
        _lrn,
        (
            Attribute("size", "int", "number of channels summed, at least 1"),
            Attribute("alpha", "float", "scale", 1e-4),
            Attribute("beta", "float", "exponent", 0.75),
            Attribute("bias", "float", "offset", 1.0),
            LAYOUT,
        ),
    )
)
