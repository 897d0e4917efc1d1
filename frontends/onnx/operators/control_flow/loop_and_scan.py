"""Loop and Scan: bodies become regions, which see the values around them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.sizes import Size, maximum
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.control_flow.growing_stacks import Run
from mlc.frontends.onnx.operators.control_flow.loop_builder import Rows, counted_loop, loop
from mlc.frontends.onnx.operators.control_flow.row_slices import axis_back, axis_first, reversed_rows, row
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import joined_kinds, kind_of, packed, unpacked
from mlc.frontends.onnx.value_types import Kind, SequenceKind
from mlc.frontends.onnx.values import Dim, Held, Value

# Loop's number of iterations where it is left out.
ENDLESS = np.iinfo(np.int64).max


def _scalar(node: Node, value: Value) -> Value:
    """A number or truth value, which models also write as a vector of one element."""
    return node.reshape(value, [])


class _Changed(Exception):
    """Carried values turn out to be of other kinds than they are at first."""

    def __init__(self, kinds: list[Kind | None]) -> None:
        self.kinds = kinds


@onnx_operator("Loop")
def loop_(node: Node) -> Sequence[Held]:
    """`graph.loop`. Carried sequences and optionals are numbers. The body is imported again where it makes of
    them what is of another kind."""
    kinds = _first_kinds(node)
    while True:
        try:
            return _loop(node, kinds)
        except _Changed as change:
            kinds = change.kinds


def _first_kinds(node: Node) -> list[Kind | None]:
    """What is known of the carried values that are no tensors; of sequences without elements what the body's
    types say."""
    declared = node.attr("body").input_kinds[2:]
    kinds: list[Kind | None] = []
    for held, told in zip((node.held(index) for index in range(2, len(node.inputs))), declared, strict=False):
        kind = None if isinstance(held, Value) else kind_of(held)
        if isinstance(kind, SequenceKind) and kind.element.is_none and isinstance(told, SequenceKind):
            kind = joined_kinds(kind, told)
        kinds.append(kind)
    return kinds


def _next_kind(kind: Kind | None, first: Held, value: Held) -> Kind | None:
    """The kind of a carried value that may also be what the body gives."""
    if kind is None and isinstance(value, Value):
        return None
    return joined_kinds(kind or kind_of(first), kind_of(value))


def _loop(node: Node, kinds: list[Kind | None]) -> Sequence[Held]:
    """How many rows a stack has the trip count tells, or the shape that the model declares."""
    given, condition = node.optional(0), node.optional(1)
    trips = node.constant(np.int64(ENDLESS)) if given is None else _scalar(node, given)
    going = node.constant(np.asarray(True)) if condition is None else _scalar(node, condition)
    held = [node.held(index) for index in range(2, len(node.inputs))]
    initial = [_packed(node, *each) for each in zip(held, kinds, strict=True)]
    always = bool(going.is_constant and np.all(going.known))

    def body(iteration: Value, inside: Value, carried: list[Value]) -> Run:
        node.emitter.name_iteration(iteration)
        own = [_unpacked(*each) for each in zip(carried, kinds, strict=True)]
        after, *values = node.attr("body")(iteration, inside, *own)
        ends = values[: len(initial)]
        found = [_next_kind(*each) for each in zip(kinds, held, ends, strict=True)]
        if found != kinds:
            raise _Changed(found)
        packs = [_packed(node, *each) for each in zip(ends, kinds, strict=True)]
        return Run(_scalar(node, after), packs, values[len(initial) :])

    declared = [_declared_rows(node, place) for place in range(len(initial), len(node.outputs))]
    count = _count(node, trips) if always and declared else None
    if isinstance(count, Size):
        # The loop reads the size of its stacks.
        trips = node.size(count)
    rows = Rows(count, declared)
    values = loop(node, trips, going, initial, body, rows)
    carried = [_unpacked(*each) for each in zip(values, kinds, strict=False)]
    return [*carried, *values[len(kinds) :]]


def _packed(node: Node, held: Held, kind: Kind | None) -> Value:
    """What is carried of a value: its number if it is no tensor."""
    if kind is not None:
        return packed(node, held, kind)
    if not isinstance(held, Value):
        raise NodeError("a carried value is missing")
    return held


def _unpacked(value: Value, kind: Kind | None) -> Held:
    return value if kind is None else unpacked(value, kind)


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
        raise UnsupportedNodeError("sequence_lens is not supported")
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
        raise NodeError(f"its scan inputs have lengths {numbers}")
    return numbers[0] if numbers else lengths[0]
