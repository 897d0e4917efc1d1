"""Optionals: the importer represents an optional by its element as long as it knows whether there is one."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import content
from mlc.frontends.onnx.value_types import SequenceValueType, TensorValueType, read_value_type
from mlc.frontends.onnx.values import Nothing, OnnxValue, RunTimeOptional, Value


@onnx_operator("Optional")
def optional(node: Node) -> list[OnnxValue]:
    """Imports Optional: its input, or an optional without an element."""
    given, type_proto = node.any_input(0), node.attr("type", None)
    if given is not None:
        return [given]
    element = None if type_proto is None else read_value_type(type_proto)
    return [Nothing(element if isinstance(element, TensorValueType | SequenceValueType) else None)]


@onnx_operator("OptionalHasElement")
def optional_has_element(node: Node) -> Value:
    """Imports OptionalHasElement; a constant unless the optional exists at run time."""
    given = node.any_input(0)
    if isinstance(given, RunTimeOptional):
        length = node.call_runtime("sequence_length", given.value, onnx_type=TensorProto.INT64, shape=[])
        return node.emit("greater", length, node.constant(np.asarray(0, np.int64)))
    return node.constant(np.asarray(not (given is None or isinstance(given, Nothing))))


@onnx_operator("OptionalGetElement")
def optional_get_element(node: Node) -> list[OnnxValue]:
    """Imports OptionalGetElement. Raises NodeError for an optional without an element."""
    given = node.any_input(0)
    if isinstance(given, RunTimeOptional):
        return [content(node, given)]
    if given is None or isinstance(given, Nothing):
        raise NodeError("its optional has no element")
    return [given]
