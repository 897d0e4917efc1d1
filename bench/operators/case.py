"""One call to measure: a model of any size, and inputs of one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

OPSETS = (helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3))
IR_VERSION = 9
Shape = Sequence[int | str]


@dataclass(frozen=True)
class Case:
    """Calls of a model whose dims are open. `inputs`: by name, for calls in turn, all of the same sizes."""

    name: str
    sizes: str
    model: onnx.ModelProto
    inputs: Sequence[Mapping[str, np.ndarray]]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The sizes of the inputs."""
        return {name: array.shape for name, array in self.inputs[0].items()}


def build(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, tuple[int, Shape]],
    outputs: Sequence[str],
    weights: Sequence[onnx.TensorProto] = (),
) -> onnx.ModelProto:
    """Returns a model with these nodes; `inputs` are ONNX's element types and shapes,
    texts are open dims."""
    given = [helper.make_tensor_value_info(name, *value) for name, value in inputs.items()]
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "operators", given, results, list(weights))
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=IR_VERSION)


def learning(
    operator: str, operands: Sequence[str], results: Sequence[str], **attributes: Any
) -> onnx.NodeProto:
    """Returns a node of ai.onnx.ml."""
    return helper.make_node(operator, operands, results, domain="ai.onnx.ml", **attributes)


FLOAT, STRING, INTEGER = TensorProto.FLOAT, TensorProto.STRING, TensorProto.INT64
