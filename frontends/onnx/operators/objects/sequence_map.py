"""SequenceMap: its body for each value that the importer knows, or a loop over sequences of the running
call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.control_flow.growing_stacks import Run
from mlc.frontends.onnx.operators.control_flow.loop_builder import Rows, loop
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import as_sequence, element_at, empty, sequence_call, sequence_of
from mlc.frontends.onnx.value_types import SequenceKind
from mlc.frontends.onnx.values import Held, RunTimeSequence, Value, ValueList


@onnx_operator("SequenceMap")
def sequence_map(node: Node) -> list[Held]:
    """Inputs that are tensors are the same for all places of the sequences."""
    inputs = [node.held(index) for index in range(len(node.inputs))]
    first = inputs[0]
    if not isinstance(first, ValueList) or not all(isinstance(each, ValueList | Value) for each in inputs):
        return _mapped_at_run_time(node, inputs)
    rows = [_row(inputs, place, len(first.values)) for place in range(len(first.values))]
    results = [node.attr("body")(*row) for row in rows]
    columns = list(zip(*results, strict=True)) if results else [()] * len(node.outputs)
    pairs = zip(columns, node.attr("body").output_kinds, strict=True)
    return [ValueList(values, values[0].number if values else kind.number) for values, kind in pairs]


def _row(inputs: Sequence[Held], place: int, count: int) -> list[Held]:
    lists = [each for each in inputs if isinstance(each, ValueList)]
    if any(len(each.values) != count for each in lists):
        raise NodeError(f"its sequences have lengths {[len(each.values) for each in lists]}")
    return [each.values[place] if isinstance(each, ValueList) else each for each in inputs]


def _mapped_at_run_time(node: Node, inputs: Sequence[Held]) -> list[Held]:
    given = [each if isinstance(each, Value) else as_sequence(node, each) for each in inputs]
    kinds: list[SequenceKind] = []

    def body(iteration: Value, _: Value, carried: list[Value]) -> Run:
        own = [
            element_at(node, each.value, iteration, each.kind.element)
            if isinstance(each, RunTimeSequence)
            else each
            for each in given
        ]
        values = node.attr("body")(*own)
        kinds[:] = [sequence_of(value) for value in values]
        pairs = zip(carried, values, strict=True)
        return Run(None, [sequence_call(node, "sequence_append", *pair) for pair in pairs], [])

    initial = [empty(node) for _ in node.outputs]
    going = node.constant(np.asarray(True))
    ends = loop(node, _length(node, given), going, initial, body, Rows(None))
    return [RunTimeSequence(*pair) for pair in zip(ends, kinds, strict=True)]


def _length(node: Node, given: Sequence[Value | RunTimeSequence]) -> Value:
    """The length of all sequences, which is checked to be the same."""
    sequences = [each.value for each in given if isinstance(each, RunTimeSequence)]
    number: int = TensorProto.INT64
    if len(sequences) == 1:
        return node.call_runtime("sequence_length", *sequences, number=number, shape=[])
    lengths = [
        node.call_runtime("sequence_common_length", sequences[0], other, number=number, shape=[])
        for other in sequences[1:]
    ]
    return reduce(lambda one, other: node.emit("min", one, other), lengths)
