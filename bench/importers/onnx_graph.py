"""ONNX graphs as plain data.

Covers the models of `bench.models`: one opset range, no control flow, no external data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from bench.operator_graph import OperatorNode

OPSETS = range(13, 24)


@dataclass(frozen=True)
class OnnxGraph:
    """An ONNX graph. `constants` are the initialisers and the results of Constant nodes."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[OperatorNode, ...]
    constants: Mapping[str, np.ndarray]


def read(path: Path) -> OnnxGraph:
    """Reads the graph of an ONNX file. Raises NotImplementedError for an opset outside of `OPSETS`."""
    model = onnx.load(path)
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    if opset not in OPSETS:
        raise NotImplementedError(f"opset {opset}; this importer knows {OPSETS.start} to {OPSETS.stop - 1}")
    graph = model.graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    nodes = []
    for node in graph.node:
        attributes = {attribute.name: _attribute(attribute) for attribute in node.attribute}
        if node.op_type == "Constant":
            constants[node.output[0]] = attributes["value"]
        else:
            nodes.append(OperatorNode(node.op_type, tuple(node.input), tuple(node.output), attributes))
    inputs = tuple(value.name for value in graph.input if value.name not in constants)
    return OnnxGraph(inputs, tuple(value.name for value in graph.output), tuple(nodes), constants)


def _attribute(attribute: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return value.decode() if isinstance(value, bytes) else value
