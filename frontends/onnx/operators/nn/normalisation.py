"""Normalisations; scale and bias become `mul` and `add`."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.sizes import differ, product
from mlc.frontends.onnx.node import Node, NodeError, check_broadcast, check_rank
from mlc.frontends.onnx.operators.nn.convolution import per_channel
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("BatchNormalization")
def batch_normalization(node: Node) -> list[Value | None]:
    """Imports BatchNormalization, with given statistics or with those of the batch; x of rank 1 is a batch of
    one channel."""
    x = node.input(0)
    if x.rank != 1:
        return _normalise(node, x)
    y, *rest = _normalise(node, node.reshape(x, [*x.shape, 1]))
    return [y if y is None else node.reshape(y, x.shape), *rest]


def _normalise(node: Node, x: Value) -> list[Value | None]:
    epsilon = float(node.attr("epsilon", 1e-5))
    per_element = not node.attr("spatial", 1)
    statistics = [node.input_of_shape(i, x.shape[1:] if per_element else x.shape[1:2]) for i in range(1, 5)]
    if _is_training(node):
        return _with_batch_statistics(node, x, epsilon, [0] if per_element else [0, *range(2, x.rank)])
    if not per_element:
        return [_with_given_statistics(node, x, statistics, epsilon)]
    # Statistics per element, not per channel (opsets 1 to 8), have x's shape without the batch.
    scale, bias, mean, variance = statistics
    deviation = node.emit("rsqrt", node.emit("add", variance, node.scalar(epsilon, variance)))
    centred = node.emit("mul", node.emit("sub", x, mean), deviation)
    return [affine(node, centred, scale, bias)]


def _with_given_statistics(node: Node, x: Value, statistics: list[Value], epsilon: float) -> Value:
    """Normalises in the widest of the types, since statistics may have another type than x."""
    onnx_type = max((x, *statistics), key=lambda value: value.dtype.itemsize).onnx_type
    wide = [node.cast(value, onnx_type) for value in (x, *statistics)]
    return node.cast(node.emit("batch_norm", *wide, epsilon=epsilon), x.onnx_type)


def _is_training(node: Node) -> bool:
    """Whether the statistics are those of the batch.

    The node specifies it from opset 14 on and before opset 7 (by `is_test`); between, it follows from the
    outputs.
    """
    if node.opset >= 14:
        return bool(node.attr("training_mode", 0))
    return any(node.wants(i) for i in range(1, 5)) or (node.opset < 7 and not node.attr("is_test", 0))


def _with_batch_statistics(node: Node, x: Value, epsilon: float, axes: list[int]) -> list[Value | None]:
    """Returns y, the running mean and variance, and those of the batch (outputs up to opset 13).

    Narrow floats are computed in f32. The variance is that of the population.
    """
    onnx_type = TensorProto.DOUBLE if x.onnx_type == TensorProto.DOUBLE else TensorProto.FLOAT
    wide = node.cast(x, onnx_type)
    mean = node.emit("reduce_mean", wide, axes=axes, keepdims=True)
    centred = node.emit("sub", wide, mean)
    variance = node.emit("reduce_mean", node.emit("mul", centred, centred), axes=axes, keepdims=True)
    deviation = node.emit("rsqrt", node.emit("add", variance, node.scalar(epsilon, variance)))
    scale, bias = (_spread(node, node.cast(node.input(i), onnx_type), x.rank) for i in (1, 2))
    y = node.cast(affine(node, node.emit("mul", centred, deviation), scale, bias), x.onnx_type)
    batch = [node.reshape(statistic, node.input(3).shape) for statistic in (mean, variance)]
    running = [_moving_average(node, node.input(3 + i), statistic) for i, statistic in enumerate(batch)]
    saved = [node.cast(statistic, node.input(3).onnx_type) for statistic in batch]
    return [y, *running, *saved]


def _spread(node: Node, value: Value, rank: int) -> Value:
    return per_channel(node, value, rank) if value.rank == 1 else value


def _moving_average(node: Node, old: Value, new: Value) -> Value:
    """Returns old * momentum + new * (1 - momentum)."""
    momentum = float(node.attr("momentum", 0.9))
    kept = node.emit("mul", node.cast(old, new.onnx_type), node.scalar(momentum, new))
    added = node.emit("mul", new, node.scalar(1 - momentum, new))
    return node.cast(node.emit("add", kept, added), old.onnx_type)


def affine(node: Node, x: Value, scale: Value | None, bias: Value | None) -> Value:
    """Returns x * scale + bias; both broadcast, each may be left out."""
    scaled = x if scale is None else node.emit("mul", x, scale)
    return scaled if bias is None else node.emit("add", scaled, bias)


def rows(node: Node, x: Value) -> tuple[list[int], float]:
    """Returns the axes that are normalised together, from the node's `axis` on, and its `epsilon`."""
    axis = node.axis(node.attr("axis", -1), x.rank)
    return list(range(axis, x.rank)), float(node.attr("epsilon", 1e-5))


@onnx_operator("LayerNormalization")
def layer_normalization(node: Node) -> tuple[Value, Value | None, Value | None]:
    """Imports LayerNormalization with its optional outputs mean and inverse deviation."""
    x = node.input(0)
    axes, epsilon = rows(node, x)
    sizes, wrong = [x.shape[axis] for axis in axes], f"the rows of x of shape {x.shape_text} have no elements"
    if 0 in sizes:
        raise NodeError(wrong)
    node.expect_sizes(sizes, [1] * len(sizes), wrong, "at_least")
    wide = node.cast(x, _stash(node, x))
    normalised = node.cast(node.emit("layer_norm", wide, axes=axes, epsilon=epsilon), x.onnx_type)
    mean, deviation = mean_and_deviation(node, wide, axes, epsilon)
    return affine(node, normalised, *_rows_operands(node, x)), mean, deviation


def _rows_operands(node: Node, x: Value) -> list[Value | None]:
    """Returns scale and bias, which must broadcast to x. Raises NodeError."""
    operands = [node.optional(1), node.optional(2)]
    for index, operand in enumerate(operands, 1):
        if operand is not None:
            check_broadcast(operand, x, f"input {index}")
    return operands


def _stash(node: Node, x: Value) -> int:
    """Returns the ONNX data type that statistics are computed in: narrow floats are widened."""
    narrow = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
    return int(node.attr("stash_type", TensorProto.FLOAT)) if x.onnx_type in narrow else x.onnx_type


def mean_and_deviation(
    node: Node, x: Value, axes: list[int], epsilon: float
) -> tuple[Value | None, Value | None]:
    """Returns mean and 1 / sqrt(variance + epsilon), where the node's outputs 1 and 2 are used."""
    if not (node.wants(1) or node.wants(2)):
        return None, None
    mean = node.emit("reduce_mean", x, axes=axes, keepdims=True)
    centred = node.emit("sub", x, mean)
    variance = node.emit("reduce_mean", node.emit("mul", centred, centred), axes=axes, keepdims=True)
    return mean, node.emit("rsqrt", node.emit("add", variance, node.scalar(epsilon, variance)))


@onnx_operator("RMSNormalization", since=23)
def rms_normalization(node: Node) -> Value:
    """Imports RMSNormalization."""
    x = node.input(0)
    axes, epsilon = rows(node, x)
    wide = node.emit("rms_norm", node.cast(x, _stash(node, x)), axes=axes, epsilon=epsilon)
    return affine(node, node.cast(wide, x.onnx_type), *_rows_operands(node, x))


@onnx_operator("InstanceNormalization")
def instance_normalization(node: Node) -> Value:
    """Imports InstanceNormalization."""
    x = node.input(0)
    check_rank(x, 3, "input 0")
    normalised = node.emit(
        "layer_norm", x, axes=list(range(2, x.rank)), epsilon=float(node.attr("epsilon", 1e-5))
    )
    return affine(
        node, normalised, *(per_channel(node, node.input_of_shape(i, x.shape[1:2]), x.rank) for i in (1, 2))
    )


@onnx_operator("GroupNormalization", since=18)
def group_normalization(node: Node) -> Value:
    """Imports GroupNormalization. Scale and bias have one element per group in opsets 18 to 20, then one per
    channel."""
    x, groups = node.input(0), int(node.attr("num_groups"))
    channels, *spatial = x.shape[1:]
    if groups < 1 or differ(channels % groups, 0):
        raise NodeError(f"num_groups {groups} does not divide the {channels} channels")
    grouped = node.reshape(node.cast(x, _stash(node, x)), [x.shape[0], groups, channels // groups, *spatial])
    axes = list(range(2, grouped.rank))
    normalised = node.cast(
        node.emit("layer_norm", grouped, axes=axes, epsilon=float(node.attr("epsilon", 1e-5))), x.onnx_type
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
    """Imports LpNormalization. Raises NodeError for p other than 1 and 2."""
    x, p = node.input(0), node.attr("p", 2)
    if p not in (1, 2):
        raise NodeError(f"p must be 1 or 2, not {p}")
    axis = node.axis(node.attr("axis", -1), x.rank)
    norm = node.emit(f"reduce_l{p}", x, axes=[axis], keepdims=True)
    # Slices of zeros stay zero.
    is_zero = node.emit("equal", norm, node.scalar(0, norm))
    return node.emit("div", x, node.emit("where", is_zero, node.scalar(1, norm), norm))


_SOFTMAX = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}


@onnx_operator(*_SOFTMAX, since=13)
def softmax(node: Node) -> Value:
    """Imports Softmax and LogSoftmax from opset 13 on."""
    x = node.input(0)
    return node.emit(_SOFTMAX[node.op_type], x, axis=node.axis(node.attr("axis", -1), x.rank))


@onnx_operator(*_SOFTMAX, until=12)
def softmax_flattened(node: Node) -> Value:
    """Imports Softmax and LogSoftmax before opset 13, where the dims from `axis` on count as one."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", 1), x.rank)
    long = [i for i in range(axis, x.rank) if x.shape[i] != 1]
    if len(long) <= 1:
        return node.emit(_SOFTMAX[node.op_type], x, axis=long[0] if long else axis)
    flat = node.reshape(x, [*x.shape[:axis], product(x.shape[axis:])])
    return node.reshape(node.emit(_SOFTMAX[node.op_type], flat, axis=axis), x.shape)
