"""BatchNormalization, with given statistics or with those of the batch."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.nn.convolution import per_channel
from mlc.frontends.onnx.operators.nn.normalisation import affine
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
