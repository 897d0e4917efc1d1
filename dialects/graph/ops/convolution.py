"""Convolution."""

from __future__ import annotations

from mlc.dialects.graph.elements import NUMBER
from mlc.dialects.graph.ops.windows import (
    DILATIONS,
    LAYOUT,
    PADS,
    STRIDES,
    check_windows,
    spatial_dims,
    window_dims,
)
from mlc.dialects.graph.shape_rules import merge
from mlc.dialects.graph.sizes import differ
from mlc.dialects.graph.spec import (
    Attribute,
    Call,
    Dim,
    Operand,
    OpSpec,
    ShapeError,
    Tensor,
    define,
    define_family,
)

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


def _conv_plain(call: Call, spatial: int) -> Tensor:
    """x [N, C, ...], w [O, C/group, ...] -> [N, O, ...]."""
    batch, inputs = call.x.shape[:2]
    outputs, group_inputs = call.w.shape[:2]
    _check_group(call.group, inputs, outputs)
    per_group = None if inputs is None else inputs // call.group
    merge("w", per_group, group_inputs, f"input channels per group (dim 1) of {call.w} do not fit {call.x}")
    return Tensor((batch, outputs, *window_dims(call, call.x.shape[2:], call.w.shape[2:])), call.x.element)


def _conv_depthwise_blocked(call: Call) -> Tensor:
    """x [N, C/c, ..., c], w [C/c, ..., c], group = C -> x's layout."""
    batch, blocks, *dims, block = call.x.shape
    blocks = merge("w", blocks, call.w.shape[0], f"channel blocks (dim 0) of {call.w} do not fit {call.x}")
    block = merge(
        "w", block, call.w.shape[-1], f"block of channels (last dim) of {call.w} does not fit {call.x}"
    )
    merge("group", _channels(blocks, block), call.group, "a depthwise w needs one group per channel")
    return Tensor((batch, blocks, *window_dims(call, dims, call.w.shape[1:-1]), block), call.x.element)


def _conv_blocked(call: Call) -> Tensor:
    """x [N, C/c, ..., c], w [O/o, (C/group)/c, ..., c, o] -> [N, O/o, ..., o]."""
    batch, blocks, *dims, block = call.x.shape
    output_blocks, group_blocks, *kernel, inner, output_block = call.w.shape
    merge("w", block, inner, f"block of channels (dim -2) of {call.w} does not fit {call.x}")
    _check_group(call.group, blocks, output_blocks)
    per_group = None if blocks is None else blocks // call.group
    merge("w", per_group, group_blocks, f"channel blocks per group (dim 1) of {call.w} do not fit {call.x}")
    return Tensor((batch, output_blocks, *window_dims(call, dims, kernel), output_block), call.x.element)


def _conv(call: Call) -> Tensor:
    spatial = len(call.strides)
    spatial_dims(call, spatial)
    check_windows(call, spatial)
    if call.layout == "NCHW":
        _check_weight_rank(call, (spatial + 2,))
        return _conv_plain(call, spatial)
    _check_weight_rank(call, (spatial + 4, spatial + 2))
    return _conv_blocked(call) if call.w.rank == spatial + 4 else _conv_depthwise_blocked(call)


def _check_weight_rank(call: Call, ranks: tuple[int, ...]) -> None:
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
        (Operand("x", NUMBER), Operand("w", NUMBER, like="x")),
        _conv,
        (STRIDES, DILATIONS, PADS, Attribute("group", "int", "channel groups that do not mix", 1), LAYOUT),
    )
)
