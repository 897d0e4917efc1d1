"""Optionals: what they hold stands for them, as long as the importer knows whether they hold something."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import content
from mlc.frontends.onnx.value_types import SequenceKind, TensorKind, kind_of_type
from mlc.frontends.onnx.values import Held, Nothing, RunTimeOptional, Value


@onnx_operator("Optional")
def optional(node: Node) -> list[Held]:
    given, kind = node.held(0), node.attr("type", None)
    if given is not None:
        return [given]
    element = None if kind is None else kind_of_type(kind)
    return [Nothing(element if isinstance(element, TensorKind | SequenceKind) else None)]


@onnx_operator("OptionalHasElement")
def optional_has_element(node: Node) -> Value:
    given = node.held(0)
    if isinstance(given, RunTimeOptional):
        length = node.call_runtime("sequence_length", given.value, number=TensorProto.INT64, shape=[])
        return node.emit("greater", length, node.constant(np.asarray(0, np.int64)))
    return node.constant(np.asarray(not (given is None or isinstance(given, Nothing))))


@onnx_operator("OptionalGetElement")
def optional_get_element(node: Node) -> list[Held]:
    given = node.held(0)
    if isinstance(given, RunTimeOptional):
        return [content(node, given)]
    if given is None or isinstance(given, Nothing):
        raise NodeError("its optional has no element")
    return [given]
