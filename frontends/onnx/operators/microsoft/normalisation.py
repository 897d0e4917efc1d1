"""Layer and group normalisation with the additions that precede them."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.checked_data import look_up
from mlc.frontends.onnx.operators.common.dynamic_values import iota
from mlc.frontends.onnx.operators.common.expressions import filled_with
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.fused_products import channels_first, channels_last
from mlc.frontends.onnx.operators.nn.convolution import per_channel
from mlc.frontends.onnx.operators.nn.normalisation import affine, mean_and_deviation, rows
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("SimplifiedLayerNormalization")
@onnx_operator("SimplifiedLayerNormalization", domain=MICROSOFT)
def simplified_layer_normalization(node: Node) -> Value:
    """Imports SimplifiedLayerNormalization: RMS normalisation with a scale."""
    x = node.input(0)
    axes, epsilon = rows(node, x)
    normalised = node.emit("rms_norm", x, axes=axes, epsilon=epsilon)
    return affine(node, normalised, node.input(1), None)


@onnx_operator("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(node: Node) -> list[Value | None]:
    """Imports SkipLayerNormalization.

    Inputs: x, skip, gamma, beta, bias; outputs: the result, mean, 1 / deviation, the sum.
    """
    total, epsilon = _add_skip(node, node.optional(4)), float(node.attr("epsilon", 1e-12))
    axes = [total.rank - 1]
    normalised = node.emit("layer_norm", total, axes=axes, epsilon=epsilon)
    mean, deviation = mean_and_deviation(node, total, axes, epsilon)
    return [affine(node, normalised, _gamma(node, total), node.optional(3)), mean, deviation, total]


@onnx_operator("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(node: Node) -> list[Value | None]:
    """Imports SkipSimplifiedLayerNormalization.

    Inputs: x, skip, gamma, bias. Raises UnsupportedNodeError for the outputs mean and inv_std_var.
    """
    if node.wants(1) or node.wants(2):
        raise UnsupportedNodeError("the outputs mean and inv_std_var are not supported")
    total = _add_skip(node, node.optional(3))
    epsilon = float(node.attr("epsilon", 1e-12))
    normalised = node.emit("rms_norm", total, axes=[total.rank - 1], epsilon=epsilon)
    return [affine(node, normalised, _gamma(node, total), None), None, None, total]


def _gamma(node: Node, total: Value) -> Value:
    return node.input_of_shape(2, total.shape[-1:])


def _add_skip(node: Node, bias: Value | None) -> Value:
    return affine(node, node.emit("add", node.input(0), node.input(1)), None, bias)


@onnx_operator("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(node: Node) -> list[Value | None]:
    """Imports EmbedLayerNormalization: rows of the tables of words, positions and segments, added and
    normalised.

    Inputs: words `[B, S]`, segments, the three tables, gamma, beta, mask `[B, S]`, positions. The second
    output is the mask's sum per sequence.
    """
    words = node.input(0)
    batch, length = words.shape
    position_ids = node.optional(8)
    if position_ids is None:
        position_ids = iota(node, length, TensorProto.INT64)
    total = node.emit("add", _rows(node, 2, words), _rows(node, 3, position_ids))
    segments = node.optional(1)
    if segments is not None:
        total = node.emit("add", total, _rows(node, 4, segments))
    epsilon = float(node.attr("epsilon", 1e-12))
    normalised = node.emit("layer_norm", total, axes=[2], epsilon=epsilon)
    return [affine(node, normalised, node.input(5), node.input(6)), _mask_index(node, batch), total]


def _rows(node: Node, table: int, position_ids: Value) -> Value:
    return look_up(node, node.input(table), position_ids, 0, negative=False)


def _mask_index(node: Node, batch: Dim) -> Value | None:
    if not node.wants(1):
        return None
    mask = node.optional(7)
    if mask is None:
        return filled_with(node, [batch], 0, TensorProto.INT32)
    return node.emit("reduce_sum", mask, axes=[1], keepdims=False)


@onnx_operator("GroupNorm", "SkipGroupNorm", domain=MICROSOFT)
def group_norm(node: Node) -> list[Value]:
    """Imports GroupNorm and SkipGroupNorm: normalisation of groups of channels, then SiLU where `activation`
    is 1.

    SkipGroupNorm first adds skip, which may lack the spatial dims, and a bias, and also returns the sum.
    Raises NodeError where groups do not divide the channels.
    """
    x, last = node.input(0), bool(node.attr("channels_last", 1))
    if node.op_type == "SkipGroupNorm":
        skip = node.input(3)
        skip = node.reshape(skip, [*skip.shape[:1], 1, 1, *skip.shape[1:]]) if skip.rank == 2 else skip
        x = affine(node, node.emit("add", x, skip), None, node.optional(4))
    first, groups = channels_first(node, x) if last else x, int(node.attr("groups"))
    batch, _, *spatial = first.shape
    [channels] = node.static([first.shape[1]], "the number of channels")
    if groups < 1 or channels % groups:
        raise NodeError(f"groups {groups} does not divide the {channels} channels")
    grouped = node.reshape(first, [batch, groups, channels // groups, *spatial])
    axes = list(range(2, grouped.rank))
    normalised = node.emit("layer_norm", grouped, axes=axes, epsilon=float(node.attr("epsilon", 1e-5)))
    affines = (per_channel(node, node.cast(node.input(i), x.onnx_type), first.rank) for i in (1, 2))
    result = affine(node, node.reshape(normalised, first.shape), *affines)
    result = node.emit("silu", result) if node.attr("activation", 0) else result
    return [channels_last(node, result) if last else result, x]
