"""One kernel to measure: a model of one operator, with its operations and bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Gelu is an operator since this opset.
OPSET = 20
IR_VERSION = 9
Shape = Sequence[int]


@dataclass(frozen=True)
class KernelCase:
    """A node on inputs of `inputs`' shapes, with constants drawn for `weights`, then `activation`.

    `roof`: its limit, one of `bench.engines.roofline`. `indices`: integers of the input
    "indices" are below this. The operands are inputs, weights and constants, in this order.
    """

    group: str
    name: str
    operator: str
    inputs: Mapping[str, tuple[int, ...]]
    result: tuple[int, ...]
    roof: str
    weights: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    constants: Mapping[str, np.ndarray] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    activation: str = ""
    flop: int = 0
    indices: int | None = None

    @property
    def bytes(self) -> int:
        """Bytes of floats that must be read and written once. A gather reads the rows that it takes."""
        read = [shape for name, shape in self.inputs.items() if self.indices is None or name == "indices"]
        taken = [self.result] if self.indices is not None else []
        sizes = [*read, *taken, *self.weights.values(), self.result]
        return 4 * sum(math.prod(shape) for shape in sizes)

    def model(self) -> onnx.ModelProto:
        """Returns the model of this operator; weights are normal with variance 2 / fan-in."""
        generator = np.random.default_rng(1)
        tensors = [numpy_helper.from_array(_weight(generator, s), name) for name, s in self.weights.items()]
        tensors += [numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        operands = [*self.inputs, *self.weights, *self.constants]
        last = "before" if self.activation else "y"
        nodes = [helper.make_node(self.operator, operands, [last], **self.attributes)]
        if self.activation:
            nodes.append(helper.make_node(self.activation, [last], ["y"]))
        values = [
            helper.make_tensor_value_info(name, _element_type(name), shape)
            for name, shape in self.inputs.items()
        ]
        result = [helper.make_tensor_value_info("y", TensorProto.FLOAT, self.result)]
        graph = helper.make_graph(nodes, self.name, values, result, tensors)
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="bench.kernels"
        )


def _element_type(name: str) -> int:
    return TensorProto.INT64 if name == "indices" else TensorProto.FLOAT


def _weight(generator: np.random.Generator, shape: Shape) -> np.ndarray:
    fan_in = math.prod(shape[1:]) if len(shape) > 2 else shape[0]
    return generator.standard_normal(tuple(shape), np.float32) * np.float32(math.sqrt(2 / fan_in))
