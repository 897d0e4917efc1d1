"""SequenceMap: its body for each value of sequences known at import, or a loop over runtime sequences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.control_flow.growing_stacks import BodyResults
from mlc.frontends.onnx.operators.control_flow.loop_builder import RowCount, loop
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import as_sequence, element_at, empty, sequence_call, sequence_of
from mlc.frontends.onnx.value_types import SequenceValueType
from mlc.frontends.onnx.values import OnnxValue, RunTimeSequence, Value, ValueList


@onnx_operator("SequenceMap")
def sequence_map(node: Node) -> list[OnnxValue]:
    """Imports SequenceMap. Inputs that are tensors are passed to the body for every element of the
    sequences."""
    inputs = [node.any_input(index) for index in range(len(node.inputs))]
    first = inputs[0]
    if not isinstance(first, ValueList) or not all(isinstance(value, ValueList | Value) for value in inputs):
        return _mapped_at_run_time(node, inputs)
    rows = [_row(inputs, position, len(first.values)) for position in range(len(first.values))]
    results = [node.attr("body")(*row) for row in rows]
    columns = list(zip(*results, strict=True)) if results else [()] * len(node.outputs)
    pairs = zip(columns, node.attr("body").output_types, strict=True)
    return [
        ValueList(values, values[0].onnx_type if values else value_type.onnx_type)
        for values, value_type in pairs
    ]


def _row(inputs: Sequence[OnnxValue], position: int, count: int) -> list[OnnxValue]:
    lists = [value for value in inputs if isinstance(value, ValueList)]
    if any(len(value_list.values) != count for value_list in lists):
        raise NodeError(f"its sequences have lengths {[len(value_list.values) for value_list in lists]}")
    return [value.values[position] if isinstance(value, ValueList) else value for value in inputs]


def _mapped_at_run_time(node: Node, inputs: Sequence[OnnxValue]) -> list[OnnxValue]:
    given = [value if isinstance(value, Value) else as_sequence(node, value) for value in inputs]
    value_types: list[SequenceValueType] = []

    def body(iteration: Value, _: Value, carried: list[Value]) -> BodyResults:
        """Imports the body for one element and appends its results."""
        own = [
            element_at(node, value.value, iteration, value.value_type.element)
            if isinstance(value, RunTimeSequence)
            else value
            for value in given
        ]
        values = node.attr("body")(*own)
        value_types[:] = [sequence_of(value) for value in values]
        pairs = zip(carried, values, strict=True)
        return BodyResults(None, [sequence_call(node, "sequence_append", *pair) for pair in pairs], [])

    initial = [empty(node) for _ in node.outputs]
    going = node.constant(np.asarray(True))
    ends = loop(node, _length(node, given), going, initial, body, RowCount(None))
    return [RunTimeSequence(*pair) for pair in zip(ends, value_types, strict=True)]


def _length(node: Node, given: Sequence[Value | RunTimeSequence]) -> Value:
    """Returns the length of all sequences, which are checked to be equally long."""
    sequences = [value.value for value in given if isinstance(value, RunTimeSequence)]
    onnx_type: int = TensorProto.INT64
    if len(sequences) == 1:
        return node.call_runtime("sequence_length", *sequences, onnx_type=onnx_type, shape=[])
    lengths = [
        node.call_runtime("sequence_common_length", sequences[0], other, onnx_type=onnx_type, shape=[])
        for other in sequences[1:]
    ]
    return reduce(lambda one, other: node.emit("min", one, other), lengths)
