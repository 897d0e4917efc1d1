"""Loop and Scan: bodies become regions, which use values of the enclosing graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.sizes import Size, maximum
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.control_flow.growing_stacks import BodyResults
from mlc.frontends.onnx.operators.control_flow.loop_builder import RowCount, counted_loop, loop
from mlc.frontends.onnx.operators.control_flow.row_slices import axis_back, axis_first, reversed_rows, row
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import common_type, pack, unpack, value_type_of
from mlc.frontends.onnx.value_types import SequenceValueType, ValueType
from mlc.frontends.onnx.values import Dim, OnnxValue, Value

# Loop's trip count where it is left out.
ENDLESS = np.iinfo(np.int64).max


def _scalar(node: Node, value: Value) -> Value:
    """Returns a scalar that models also write as a vector of one element."""
    return node.reshape(value, [])


class _TypesChanged(Exception):
    """The types of carried values differ from the initial ones."""

    def __init__(self, value_types: list[ValueType | None]) -> None:
        self.value_types = value_types


@onnx_operator("Loop")
def loop_(node: Node) -> Sequence[OnnxValue]:
    """Builds `graph.loop`.

    Carried sequences and optionals are ids. The body is imported again where it changes the type of a carried
    value.
    """
    value_types = _initial_types(node)
    while True:
        try:
            return _loop(node, value_types)
        except _TypesChanged as change:
            value_types = change.value_types


def _initial_types(node: Node) -> list[ValueType | None]:
    """Returns the types of the carried values that are no tensors (None: a tensor); for empty sequences the
    body's declared types."""
    declared = node.attr("body").input_types[2:]
    value_types: list[ValueType | None] = []
    for held, declared_type in zip(
        (node.any_input(index) for index in range(2, len(node.inputs))), declared, strict=False
    ):
        value_type = None if isinstance(held, Value) else value_type_of(held)
        if (
            isinstance(value_type, SequenceValueType)
            and value_type.element.is_none
            and isinstance(declared_type, SequenceValueType)
        ):
            value_type = common_type(value_type, declared_type)
        value_types.append(value_type)
    return value_types


def _next_type(value_type: ValueType | None, first: OnnxValue, value: OnnxValue) -> ValueType | None:
    """Returns the common type of a carried value and the body's result for it."""
    if value_type is None and isinstance(value, Value):
        return None
    return common_type(value_type or value_type_of(first), value_type_of(value))


def _loop(node: Node, value_types: list[ValueType | None]) -> Sequence[OnnxValue]:
    """Builds the loop with carried values of these types.

    The number of rows of a stack is the trip count, or the dim that the model declares.
    """
    given, condition = node.optional(0), node.optional(1)
    trips = node.constant(np.int64(ENDLESS)) if given is None else _scalar(node, given)
    going = node.constant(np.asarray(True)) if condition is None else _scalar(node, condition)
    held = [node.any_input(index) for index in range(2, len(node.inputs))]
    initial = [_pack(node, *pair) for pair in zip(held, value_types, strict=True)]
    always = bool(going.is_constant and np.all(going.known))

    def body(iteration: Value, inside: Value, carried: list[Value]) -> BodyResults:
        """Imports the body for one iteration. Raises _TypesChanged."""
        node.emitter.name_iteration(iteration)
        own = [_unpack(*pair) for pair in zip(carried, value_types, strict=True)]
        after, *values = node.attr("body")(iteration, inside, *own)
        ends = values[: len(initial)]
        found = [_next_type(*triple) for triple in zip(value_types, held, ends, strict=True)]
        if found != value_types:
            raise _TypesChanged(found)
        packs = [_pack(node, *pair) for pair in zip(ends, value_types, strict=True)]
        return BodyResults(_scalar(node, after), packs, values[len(initial) :])

    declared = [_declared_rows(node, output) for output in range(len(initial), len(node.outputs))]
    count = _count(node, trips) if always and declared else None
    if isinstance(count, Size):
        # The loop reads the size of its stacks.
        trips = node.size(count)
    rows = RowCount(count, declared)
    values = loop(node, trips, going, initial, body, rows)
    carried = [_unpack(*pair) for pair in zip(values, value_types, strict=False)]
    return [*carried, *values[len(value_types) :]]


def _pack(node: Node, held: OnnxValue, value_type: ValueType | None) -> Value:
    """Returns the carried form of a value: a tensor, or the id of an object."""
    if value_type is not None:
        return pack(node, held, value_type)
    if not isinstance(held, Value):
        raise NodeError("a carried value is missing")
    return held


def _unpack(value: Value, value_type: ValueType | None) -> OnnxValue:
    return value if value_type is None else unpack(value, value_type)


def _count(node: Node, trips: Value) -> Dim | None:
    """Returns the trip count if no condition ends the loop; None where it is unbounded."""
    if trips.is_constant and trips.known is not None:
        count = int(trips.known)
        return None if count == ENDLESS else max(count, 0)
    if trips.known is not None:
        known: Dim = trips.known.item()
        return maximum(known, 0)
    least = node.emit("max", node.reshape(trips, [1]), node.constant(np.int64(0)))
    return node.read_dims(least)[0]


def _declared_rows(node: Node, output: int) -> int | None:
    """Returns the first dim that the model declares of an output."""
    shape = node.declared[output] if output < len(node.declared) else None
    return shape[0] if shape else None


@onnx_operator("Scan", since=9)
def scan(node: Node) -> list[Value]:
    """Builds a loop over the first dims of the scan inputs, whose scan axes are moved to the first dim
    before."""
    count = int(node.attr("num_scan_inputs"))
    values = [node.input(index) for index in range(len(node.inputs))]
    states, sequences = values[: len(values) - count], values[len(values) - count :]
    axes = node.attr("scan_input_axes", None) or [0] * count
    backwards = node.attr("scan_input_directions", None) or [0] * count
    sequences = [
        axis_first(node, sequence, node.axis(axis, sequence.rank))
        for sequence, axis in zip(sequences, axes, strict=True)
    ]
    carried, stacks = _scan_sequences(node, states, sequences, [bool(backward) for backward in backwards])
    axes = node.attr("scan_output_axes", None) or [0] * len(stacks)
    directions = node.attr("scan_output_directions", None) or [0] * len(stacks)
    stacks = [
        reversed_rows(node, stack) if backwards else stack
        for stack, backwards in zip(stacks, directions, strict=True)
    ]
    return carried + [
        axis_back(node, stack, node.axis(axis, stack.rank)) for stack, axis in zip(stacks, axes, strict=True)
    ]


@onnx_operator("Scan", since=8, until=8)
def scan_batches(node: Node) -> list[Value]:
    """Builds a loop over the batch, the first dim of all inputs and outputs in opset 8, whose elements are
    scanned separately."""
    if node.optional(0) is not None:
        raise UnsupportedNodeError("sequence_lens is not supported")
    values = [node.input(index) for index in range(1, len(node.inputs))]
    count = int(node.attr("num_scan_inputs"))
    directions = node.attr("directions", None) or [0] * count
    backwards = [bool(direction) for direction in directions]

    def body(iteration: Value, _: list[Value]) -> tuple[list[Value], list[Value]]:
        """Scans one element of the batch."""
        own = [row(node, value, iteration) for value in values]
        first = len(own) - count
        carried, stacks = _scan_sequences(node, own[:first], own[first:], backwards)
        return [], carried + stacks

    batches = _common([value.shape[0] for value in values])
    return counted_loop(node, batches, [], body)[1]


def _scan_sequences(
    node: Node, states: Sequence[Value], sequences: Sequence[Value], backwards: Sequence[bool]
) -> tuple[list[Value], list[Value]]:
    """Builds a loop that runs the node's body on each row of sequences along their first dims."""
    length = _common([sequence.shape[0] for sequence in sequences])

    def body(iteration: Value, carried: list[Value]) -> tuple[list[Value], list[Value]]:
        """Runs the body on one row of each sequence."""
        parts = [
            row(node, sequence, iteration, turned)
            for sequence, turned in zip(sequences, backwards, strict=True)
        ]
        found = node.attr("body")(*carried, *parts)
        return found[: len(states)], found[len(states) :]

    return counted_loop(node, length, states, body)


def _common(lengths: Sequence[Dim]) -> Dim:
    """Returns the length of all scan inputs, a static one where there is any. Raises NodeError where they
    differ."""
    static_lengths = sorted({length for length in lengths if isinstance(length, int)})
    if len(static_lengths) > 1:
        raise NodeError(f"its scan inputs have lengths {static_lengths}")
    return static_lengths[0] if static_lengths else lengths[0]
