"""A network before its weights exist: nodes and the shapes of their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from bench.models import weights

OPSET = 17
IR_VERSION = 8


@dataclass
class Network:
    """Nodes in topological order; `parameters` maps names to shapes, `constants` to values."""

    name: str
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    parameters: dict[str, tuple[int, ...]] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    inputs: list[onnx.ValueInfoProto] = field(default_factory=list)
    outputs: list[onnx.ValueInfoProto] = field(default_factory=list)

    def to_model(self, seed: int = 0) -> onnx.ModelProto:
        """The model with weights drawn from `seed`. Batch-norm statistics are 0 and 1 until calibrated."""
        values = self.constants | weights.initialise(self.nodes, self.parameters, seed)
        tensors = [numpy_helper.from_array(value, name) for name, value in values.items()]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, tensors)
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="bench.models"
        )


class NetworkBuilder:
    """Adds layers one after the other. Every method takes and returns names of tensors."""

    def __init__(self, name: str, input_shape: tuple[int, ...]) -> None:
        self.network = Network(name)
        self.network.inputs.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, input_shape))

    def finish(self, output: str, shape: tuple[int, ...]) -> Network:
        """Name `output`, of the given shape, as the network's only result."""
        self.network.outputs.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, shape))
        return self.network

    def operator(self, op_type: str, *operands: str, **attributes: Any) -> str:
        """Append a node with one result."""
        name = f"{op_type.lower()}_{len(self.network.nodes)}"
        self.network.nodes.append(helper.make_node(op_type, operands, [name], name=name, **attributes))
        return name

    def parameter(self, role: str, *shape: int) -> str:
        """Declare a parameter of the node that is appended next."""
        name = f"{len(self.network.nodes)}.{role}"
        self.network.parameters[name] = shape
        return name

    def constant(self, name: str, value: np.ndarray | np.float32) -> str:
        """Declare a constant; equal names are the same constant."""
        self.network.constants[name] = np.asarray(value)
        return name

    def conv(
        self,
        x: str,
        channels: int,
        filters: int,
        *,
        kernel: int = 3,
        stride: int = 1,
        group: int = 1,
        bias: bool,
    ) -> str:
        """A square convolution that keeps the image's size at stride 1."""
        operands = [x, self.parameter("weight", filters, channels // group, kernel, kernel)]
        if bias:
            operands.append(self.parameter("bias", filters))
        half = kernel // 2
        return self.operator(
            "Conv", *operands, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[half] * 4, group=group
        )

    def batch_norm(self, x: str, channels: int) -> str:
        """Batch normalisation in inference form."""
        roles = ("scale", "bias", "mean", "variance")
        return self.operator(
            "BatchNormalization", x, *(self.parameter(role, channels) for role in roles), epsilon=1e-5
        )

    def linear(self, x: str, features: int, results: int) -> str:
        """A fully connected layer; the weight is `[results, features]`, as PyTorch exports it."""
        weight, bias = self.parameter("weight", results, features), self.parameter("bias", results)
        return self.operator("Gemm", x, weight, bias, transB=1)
