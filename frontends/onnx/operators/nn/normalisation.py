"""Normalisations; scale and bias become `mul` and `add`."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.sizes import differ, product
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.nn.convolution import per_channel
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def affine(node: Node, x: Value, scale: Value | None, bias: Value | None) -> Value:
    """x * scale + bias; both broadcast, each may be left out."""
    scaled = x if scale is None else node.emit("mul", x, scale)
    return scaled if bias is None else node.emit("add", scaled, bias)


def rows(node: Node, x: Value) -> tuple[list[int], float]:
    """The axes of what is normalised together, from the node's `axis` on, and its `epsilon`."""
    axis = node.axis(node.attr("axis", -1), x.rank)
    return list(range(axis, x.rank)), float(node.attr("epsilon", 1e-5))


@onnx_operator("LayerNormalization")
def layer_normalization(node: Node) -> tuple[Value, Value | None, Value | None]:
    x = node.input(0)
    axes, epsilon = rows(node, x)
    wide = node.cast(x, _stash(node, x))
    normalised = node.cast(node.emit("layer_norm", wide, axes=axes, epsilon=epsilon), x.number)
    mean, deviation = mean_and_deviation(node, wide, axes, epsilon)
    return affine(node, normalised, node.optional(1), node.optional(2)), mean, deviation


def _stash(node: Node, x: Value) -> int:
    """The ONNX data type that statistics are computed in: narrow floats are widened."""
    narrow = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
    return int(node.attr("stash_type", TensorProto.FLOAT)) if x.number in narrow else x.number


def mean_and_deviation(
    node: Node, x: Value, axes: list[int], epsilon: float
) -> tuple[Value | None, Value | None]:
    """Mean and 1 / sqrt(variance + epsilon), where the node's outputs 1 and 2 are used."""
    if not (node.wants(1) or node.wants(2)):
        return None, None
    mean = node.emit("reduce_mean", x, axes=axes, keepdims=True)
    centred = node.emit("sub", x, mean)
    variance = node.emit("reduce_mean", node.emit("mul", centred, centred), axes=axes, keepdims=True)
    return mean, node.emit("rsqrt", node.emit("add", variance, node.scalar(epsilon, variance)))


@onnx_operator("RMSNormalization", since=23)
def rms_normalization(node: Node) -> Value:
    x = node.input(0)
    axes, epsilon = rows(node, x)
    wide = node.emit("rms_norm", node.cast(x, _stash(node, x)), axes=axes, epsilon=epsilon)
    return affine(node, node.cast(wide, x.number), node.input(1), None)


@onnx_operator("InstanceNormalization")
def instance_normalization(node: Node) -> Value:
    x = node.input(0)
    normalised = node.emit(
        "layer_norm", x, axes=list(range(2, x.rank)), epsilon=float(node.attr("epsilon", 1e-5))
    )
    return affine(node, normalised, *(per_channel(node, node.input(i), x.rank) for i in (1, 2)))


@onnx_operator("GroupNormalization", since=18)
def group_normalization(node: Node) -> Value:
    """Scale and bias hold one number per group in opsets 18 to 20, then one per channel."""
    x, groups = node.input(0), int(node.attr("num_groups"))
    channels, *spatial = x.shape[1:]
    if groups < 1 or differ(channels % groups, 0):
        raise NodeFailure(f"num_groups {groups} does not divide the {channels} channels")
    grouped = node.reshape(node.cast(x, _stash(node, x)), [x.shape[0], groups, channels // groups, *spatial])
    axes = list(range(2, grouped.rank))
    normalised = node.cast(
        node.emit("layer_norm", grouped, axes=axes, epsilon=float(node.attr("epsilon", 1e-5))), x.number
    )
    if node.opset < 21:
        normalised = affine(
            node, normalised, *(per_channel(node, node.input(i), grouped.rank) for i in (1, 2))
        )
        return node.reshape(normalised, x.shape)
    return affine(
        node, node.reshape(normalised, x.shape), *(per_channel(node, node.input(i), x.rank) for i in (1, 2))
    )


@onnx_operator("LpNormalization")
def lp_normalization(node: Node) -> Value:
    x, p = node.input(0), node.attr("p", 2)
    if p not in (1, 2):
        raise NodeFailure(f"p must be 1 or 2, not {p}")
    axis = node.axis(node.attr("axis", -1), x.rank)
    norm = node.emit(f"reduce_l{p}", x, axes=[axis], keepdims=True)
    # A slice of zeros stays zero.
    is_zero = node.emit("equal", norm, node.scalar(0, norm))
    return node.emit("div", x, node.emit("where", is_zero, node.scalar(1, norm), norm))


_SOFTMAX = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}


@onnx_operator(*_SOFTMAX, since=13)
def softmax(node: Node) -> Value:
    x = node.input(0)
    return node.emit(_SOFTMAX[node.op_type], x, axis=node.axis(node.attr("axis", -1), x.rank))


@onnx_operator(*_SOFTMAX, until=12)
def softmax_flattened(node: Node) -> Value:
    """Before opset 13 the dims from `axis` on count as one."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", 1), x.rank)
    long = [i for i in range(axis, x.rank) if x.shape[i] != 1]
    if len(long) <= 1:
        return node.emit(_SOFTMAX[node.op_type], x, axis=long[0] if long else axis)
    flat = node.reshape(x, [*x.shape[:axis], product(x.shape[axis:])])
    return node.reshape(node.emit(_SOFTMAX[node.op_type], flat, axis=axis), x.shape)
