"""Calibrates random weights with one run of ONNX Runtime.

With random weights, the mean and variance that a batch normalisation stores must be those of its input, or
activations die or explode within a few layers. One run of the model suffices: in a copy of it, nodes that
compute the statistics from the data replace the stored ones, and their results are read back as
graph outputs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser

from bench.models.reference import run

LOGIT_DEVIATION = 2.0
DOMAIN = "bench"

# The variance is padded by a tenth of its mean over channels: a channel that hardly varies for the
# calibration input would otherwise be amplified without bound for other inputs.
STATISTICS = parser.parse_function(
    """
    <opset_import: ["": 17], domain: "bench">
    Statistics (x) => (mean, variance) {
        axes = Constant <value_ints = [0, 2, 3]> ()
        tenth = Constant <value_float = 0.1> ()
        kept_mean = ReduceMean <axes = [0, 2, 3]> (x)
        centred = Sub (x, kept_mean)
        squared = Mul (centred, centred)
        kept_variance = ReduceMean <axes = [0, 2, 3]> (squared)
        average = ReduceMean (kept_variance)
        padding = Mul (average, tenth)
        padded = Add (kept_variance, padding)
        mean = Squeeze (kept_mean, axes)
        variance = Squeeze (padded, axes)
    }
    """
)


def calibrate(model: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> None:
    """Sets every batch norm's statistics in place, and scales the last layer to logits of deviation 2.

    The models must be convolutional: the input of every batch normalisation is `[N, C, H, W]`.
    """
    statistics = _statistics_names(model.graph)
    logits = _logits(model.graph)
    names = [*statistics, logits]
    measured = dict(zip(names, run(_instrument(model, statistics, logits), inputs, names), strict=True))
    for name in statistics:
        _assign(model.graph, name, measured[name])
    weight = _last_weight(model.graph)
    scale = np.float32(LOGIT_DEVIATION / measured[logits].std())
    _assign(model.graph, weight, numpy_helper.to_array(_initializer(model.graph, weight)) * scale)


def _statistics_names(graph: onnx.GraphProto) -> list[str]:
    return [name for node in graph.node if node.op_type == "BatchNormalization" for name in node.input[3:5]]


def _logits(graph: onnx.GraphProto) -> str:
    last = graph.node[-1]
    return last.input[0] if last.op_type == "Softmax" else last.output[0]


def _last_weight(graph: onnx.GraphProto) -> str:
    return next(node.input[1] for node in reversed(graph.node) if node.op_type in ("Conv", "Gemm"))


def _initializer(graph: onnx.GraphProto, name: str) -> onnx.TensorProto:
    return next(tensor for tensor in graph.initializer if tensor.name == name)


def _assign(graph: onnx.GraphProto, name: str, value: np.ndarray) -> None:
    _initializer(graph, name).CopyFrom(numpy_helper.from_array(value, name))


def _instrument(model: onnx.ModelProto, statistics: list[str], logits: str) -> onnx.ModelProto:
    """Returns a copy whose batch norms use the statistics of their inputs, which become outputs."""
    graph = model.graph
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            nodes.append(helper.make_node("Statistics", node.input[:1], node.input[3:5], domain=DOMAIN))
        nodes.append(node)
    measured = set(statistics)
    tensors = [tensor for tensor in graph.initializer if tensor.name not in measured]
    outputs = [onnx.ValueInfoProto(name=name) for name in [*statistics, logits]]
    opsets = [*model.opset_import, helper.make_opsetid(DOMAIN, 1)]
    return helper.make_model(
        helper.make_graph(nodes, graph.name, graph.input, outputs, tensors),
        opset_imports=opsets,
        ir_version=model.ir_version,
        functions=[STATISTICS],
    )
