"""Loop and Scan: bodies become regions, which see the values around them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlc.dialects.graph.sizes import Size, maximum
from mlc.frontends.onnx.growing import Run
from mlc.frontends.onnx.loops import Rows, counted_loop, loop
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.rows import axis_back, axis_first, reversed_rows, row
from mlc.frontends.onnx.values import Dim, Value

# Loop's number of iterations where it is left out.
ENDLESS = np.iinfo(np.int64).max


def _scalar(node: Node, value: Value) -> Value:
    """A number or truth value, which models also write as a vector of one element."""
    return node.reshape(value, [])


@onnx_operator("Loop")
def loop_(node: Node) -> Sequence[Value]:
    """`graph.loop`. How many rows a stack has the trip count tells, or the shape that the model declares."""
    given, condition = node.optional(0), node.optional(1)
    trips = node.constant(np.int64(ENDLESS)) if given is None else _scalar(node, given)
    going = node.constant(np.asarray(True)) if condition is None else _scalar(node, condition)
    initial = [node.input(index) for index in range(2, len(node.inputs))]
    always = bool(going.is_constant and np.all(going.known))

    def body(iteration: Value, inside: Value, carried: list[Value]) -> Run:
        node.emitter.name_iteration(iteration)
        after, *values = node.attr("body")(iteration, inside, *carried)
        return Run(_scalar(node, after), values[: len(initial)], values[len(initial) :])

    declared = [_declared_rows(node, place) for place in range(len(initial), len(node.outputs))]
    count = _count(node, trips) if always and declared else None
    if isinstance(count, Size):
        # The loop reads the size of its stacks.
        trips = node.size(count)
    rows = Rows(count, declared)
    return loop(node, trips, going, initial, body, rows)


def _count(node: Node, trips: Value) -> Dim | None:
    """How often the body runs if no condition ends it; None where nothing else does."""
    if trips.is_constant and trips.known is not None:
        count = int(trips.known)
        return None if count == ENDLESS else max(count, 0)
    if trips.known is not None:
        known: Dim = trips.known.item()
        return maximum(known, 0)
    least = node.emit("max", node.reshape(trips, [1]), node.constant(np.int64(0)))
    return node.read_dims(least)[0]


def _declared_rows(node: Node, output: int) -> int | None:
    """The first dim that the model declares of an output."""
    shape = node.declared[output] if output < len(node.declared) else None
    return shape[0] if shape else None


@onnx_operator("Scan", since=9)
def scan(node: Node) -> list[Value]:
    """A loop over the first dims of its scan inputs, once these are in front."""
    count = int(node.attr("num_scan_inputs"))
    values = [node.input(index) for index in range(len(node.inputs))]
    states, sequences = values[: len(values) - count], values[len(values) - count :]
    axes = node.attr("scan_input_axes", None) or [0] * count
    backwards = node.attr("scan_input_directions", None) or [0] * count
    sequences = [
        axis_first(node, each, node.axis(axis, each.rank)) for each, axis in zip(sequences, axes, strict=True)
    ]
    carried, stacks = _scanned(node, states, sequences, [bool(each) for each in backwards])
    axes = node.attr("scan_output_axes", None) or [0] * len(stacks)
    turned = node.attr("scan_output_directions", None) or [0] * len(stacks)
    stacks = [
        reversed_rows(node, each) if backwards else each
        for each, backwards in zip(stacks, turned, strict=True)
    ]
    return carried + [
        axis_back(node, each, node.axis(axis, each.rank)) for each, axis in zip(stacks, axes, strict=True)
    ]


@onnx_operator("Scan", since=8, until=8)
def scan_batches(node: Node) -> list[Value]:
    """Opset 8: the first dim of all inputs and outputs counts batches, each of which is scanned alone."""
    if node.optional(0) is not None:
        raise Unsupported("sequence_lens is not supported")
    values = [node.input(index) for index in range(1, len(node.inputs))]
    count = int(node.attr("num_scan_inputs"))
    directions = node.attr("directions", None) or [0] * count
    backwards = [bool(each) for each in directions]

    def body(iteration: Value, _: list[Value]) -> tuple[list[Value], list[Value]]:
        own = [row(node, each, iteration) for each in values]
        first = len(own) - count
        carried, stacks = _scanned(node, own[:first], own[first:], backwards)
        return [], carried + stacks

    batches = _common([each.shape[0] for each in values])
    return counted_loop(node, batches, [], body)[1]


def _scanned(
    node: Node, states: Sequence[Value], sequences: Sequence[Value], backwards: Sequence[bool]
) -> tuple[list[Value], list[Value]]:
    """Runs the node's body on each part of sequences along their first dims."""
    length = _common([each.shape[0] for each in sequences])

    def body(iteration: Value, carried: list[Value]) -> tuple[list[Value], list[Value]]:
        parts = [
            row(node, each, iteration, turned) for each, turned in zip(sequences, backwards, strict=True)
        ]
        found = node.attr("body")(*carried, *parts)
        return found[: len(states)], found[len(states) :]

    return counted_loop(node, length, states, body)


def _common(lengths: Sequence[Dim]) -> Dim:
    """The length of all scan inputs, a number where one is."""
    numbers = sorted({length for length in lengths if isinstance(length, int)})
    if len(numbers) > 1:
        raise NodeFailure(f"its scan inputs have lengths {numbers}")
    return numbers[0] if numbers else lengths[0]
