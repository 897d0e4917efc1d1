"""Operators on strings, which functions of the C runtime compute."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.broadcasting import broadcast_together
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value
from onnx import TensorProto


@onnx_operator("StringConcat")
def string_concat(node: Node) -> Value:
    x, y = broadcast_together(node, node.input(0), node.input(1))
    return node.call_runtime("string_concat", x, y, number=TensorProto.STRING, shape=x.shape)
