"""Builds one model out of many independent pieces, so that they compile together and failures name the
piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


class Pieces:
    """A model under construction: each piece is one node with its inputs and an output."""

    def __init__(self, opset: int = 21) -> None:
        self.opset = opset
        self.inputs: dict[str, np.ndarray] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, value: np.ndarray) -> str:
        self.inputs[name] = value
        return name

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(
        self,
        name: str,
        op_type: str,
        *operands: Any,
        out: int | Sequence[int] | None = None,
        **attributes: Any,
    ) -> None:
        """A node; operands are arrays (inputs), names, lists (constants), or None (absent). `out`: its
        element type, if not the first operand's, or those of several results, `name`, `name:1`, ..."""
        names = [self._operand(f"{name}.{index}", value) for index, value in enumerate(operands)]
        if out is None:
            out = helper.np_dtype_to_tensor_dtype(self.inputs[names[0]].dtype)
        values = [out] if isinstance(out, int) else out
        results = [f"{name}:{position}" if position else name for position in range(len(values))]
        self.nodes.append(helper.make_node(op_type, names, results, name=name, **attributes))
        for result, element in zip(results, values, strict=True):
            self.outputs.append(helper.make_tensor_value_info(result, element, None))

    def _operand(self, name: str, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        return self.input(name, value) if isinstance(value, np.ndarray) else self.constant(name, value)

    def model(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self.inputs.items()
        ]
        graph = helper.make_graph(self.nodes, "pieces", inputs, self.outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
