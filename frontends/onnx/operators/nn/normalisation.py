"""Normalisations; scale and bias become `mul` and `add`.

BatchNormalization, with given statistics or with those of the batch.
"""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.sizes import differ, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.nn.convolution import per_channel
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("BatchNormalization")
def batch_normalization(node: Node) -> list[Value | None]:
    """x of rank 1 is a batch of one channel."""
    x = node.input(0)
    if x.rank != 1:
        return _normalised(node, x)
    y, *rest = _normalised(node, node.reshape(x, [*x.shape, 1]))
    return [y if y is None else node.reshape(y, x.shape), *rest]


def _normalised(node: Node, x: Value) -> list[Value | None]:
    epsilon = float(node.attr("epsilon", 1e-5))
    statistics = [node.input(i) for i in range(1, 5)]
    per_element = not node.attr("spatial", 1)
    if _is_training(node):
        return _with_batch_statistics(node, x, epsilon, [0] if per_element else [0, *range(2, x.rank)])
    if not per_element:
        return [_with_given_statistics(node, x, statistics, epsilon)]
    # Statistics of every element, not of every channel (opsets 1 to 8): they have x's shape without the
    # batch.
    scale, bias, mean, variance = statistics
    deviation = node.emit("rsqrt", node.emit("add", variance, node.scalar(epsilon, variance)))
    centred = node.emit("mul", node.emit("sub", x, mean), deviation)
    return [affine(node, centred, scale, bias)]


def _with_given_statistics(node: Node, x: Value, statistics: list[Value], epsilon: float) -> Value:
    """In the widest of the types: statistics may have another one than x."""
    number = max((x, *statistics), key=lambda value: value.dtype.itemsize).number
    wide = [node.cast(value, number) for value in (x, *statistics)]
    return node.cast(node.emit("batch_norm", *wide, epsilon=epsilon), x.number)


def _is_training(node: Node) -> bool:
    """The node says so from opset 14 on and before opset 7 (by `is_test`); between, its outputs do."""
    if node.opset >= 14:
        return bool(node.attr("training_mode", 0))
    return any(node.wants(i) for i in range(1, 5)) or (node.opset < 7 and not node.attr("is_test", 0))


def _with_batch_statistics(node: Node, x: Value, epsilon: float, axes: list[int]) -> list[Value | None]:
    """y, the running mean and variance, and those of the batch (outputs up to opset 13).

    Narrow floats are computed in f32. A variance is that of the population.
    """
    number = TensorProto.DOUBLE if x.number == TensorProto.DOUBLE else TensorProto.FLOAT
    wide = node.cast(x, number)
    mean = node.emit("reduce_mean", wide, axes=axes, keepdims=True)
    centred = node.emit("sub", wide, mean)
    variance = node.emit("reduce_mean", node.emit("mul", centred, centred), axes=axes, keepdims=True)
    deviation = node.emit("rsqrt", node.emit("add", variance, node.scalar(epsilon, variance)))
    scale, bias = (_spread(node, node.cast(node.input(i), number), x.rank) for i in (1, 2))
    y = node.cast(affine(node, node.emit("mul", centred, deviation), scale, bias), x.number)
    batch = [node.reshape(each, node.input(3).shape) for each in (mean, variance)]
    running = [_moved(node, node.input(3 + i), each) for i, each in enumerate(batch)]
    saved = [node.cast(each, node.input(3).number) for each in batch]
    return [y, *running, *saved]


def _spread(node: Node, value: Value, rank: int) -> Value:
    return per_channel(node, value, rank) if value.rank == 1 else value


def _moved(node: Node, old: Value, new: Value) -> Value:
    """old * momentum + new * (1 - momentum)."""
    momentum = float(node.attr("momentum", 0.9))
    kept = node.emit("mul", node.cast(old, new.number), node.scalar(momentum, new))
    added = node.emit("mul", new, node.scalar(1 - momentum, new))
    return node.cast(node.emit("add", kept, added), old.number)


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
        raise NodeError(f"num_groups {groups} does not divide the {channels} channels")
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
        raise NodeError(f"p must be 1 or 2, not {p}")
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
