"""RNN, GRU and LSTM: one product of the whole sequence with the input weights, and a loop over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import sliced
from mlc.frontends.onnx.operators.control_flow.loop_builder import counted_loop
from mlc.frontends.onnx.operators.control_flow.row_slices import reversed_rows, row
from mlc.frontends.onnx.operators.nn.recurrent_cells import (
    GRU,
    LSTM,
    RNN,
    Cell,
    Direction,
    activations,
    columns,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# The operators' inputs by number. Behind the first states come LSTM's peepholes.
X, W, R, BIASES, LENGTHS, FIRST_STATE = range(6)

# direction -> whether each of its parts goes backwards in time.
_DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}


@onnx_operator("RNN")
def rnn(node: Node) -> list[Value | None]:
    return recurrent(node, RNN)


@onnx_operator("GRU")
def gru(node: Node) -> list[Value | None]:
    return recurrent(node, GRU)


@onnx_operator("LSTM")
def lstm(node: Node) -> list[Value | None]:
    return recurrent(node, LSTM)


def recurrent(node: Node, cell: Cell) -> list[Value | None]:
    """The states at all times `[time, direction, batch, hidden]`, then those at the end `[direction, batch,
    hidden]`; with `layout` 1 the batch comes first."""
    batch_first = bool(node.attr("layout", 0))
    x = _swapped(node, node.input(X)) if batch_first else node.input(X)
    name = node.attr("direction", "forward")
    if name not in _DIRECTIONS:
        raise NodeError(f"direction must be forward, reverse or bidirectional, not {name!r}")
    outputs, ends = [], []
    for place, backwards in enumerate(_DIRECTIONS[name]):
        direction = _direction(node, cell, x, place, batch_first)
        end, stacks = _run(direction, cell, x, backwards)
        outputs += [node.emit("unsqueeze", each, axes=[1]) for each in stacks]
        ends.append([node.emit("unsqueeze", each, axes=[0]) for each in end])
    whole = _joined(node, outputs, 1) if outputs else None
    states = [_joined(node, list(each), 0) for each in zip(*ends, strict=True)]
    if batch_first:
        states = [_swapped(node, each) for each in states]
        whole = None if whole is None else node.emit("transpose", whole, permutation=[2, 0, 1, 3])
    return [whole, *states]


def _joined(node: Node, parts: Sequence[Value], axis: int) -> Value:
    return parts[0] if len(parts) == 1 else node.emit("concat", *parts, axis=axis)


def _swapped(node: Node, value: Value) -> Value:
    """The first two dims exchanged."""
    return node.emit("transpose", value, permutation=[1, 0, *range(2, value.rank)])


def _part(node: Node, value: Value | None, place: int, dims: Sequence[Dim]) -> Value | None:
    """The part of one direction, of which it is known that it has these dims."""
    if value is None:
        return None
    own = value if value.shape[0] == 1 else sliced(node, value, {0: (place, 1, 1)})
    part = node.emit("squeeze", own, axes=[0])
    return part if part.is_static else node.reshape(part, dims)


def _direction(node: Node, cell: Cell, x: Value, place: int, batch_first: bool) -> Direction:
    _, batch, width = x.shape
    hidden = _hidden(node)
    w = _part(node, node.optional(W), place, [cell.gates * hidden, width])
    r = _part(node, node.optional(R), place, [cell.gates * hidden, hidden])
    biases = _part(node, node.optional(BIASES), place, [2 * cell.gates * hidden])
    peepholes = _part(node, node.optional(FIRST_STATE + cell.states), place, [3 * hidden])
    if w is None or r is None:
        raise NodeError("its weights are missing")
    states = []
    for index in range(FIRST_STATE, FIRST_STATE + cell.states):
        given = node.optional(index)
        if given is None:
            states.append(_zeros(node, [batch, hidden], x.number))
            continue
        state = _part(node, _swapped(node, given) if batch_first else given, place, [batch, hidden])
        assert state is not None, "a given state has a part for each direction"
        states.append(state)
    bias, reset_bias = _biases(node, cell, biases, hidden)
    functions = activations(node, cell.functions)[place]
    return Direction(node, hidden, batch, w, r, bias, reset_bias, peepholes, states, functions)


def _hidden(node: Node) -> int:
    """How many numbers a state has. Raises NodeError where nothing tells, or two things differ."""
    given = node.input(R).shape[-1]
    told = node.attr("hidden_size", None)
    if isinstance(given, int) and told not in (None, given):
        raise NodeError(f"hidden_size is {told}, but R is for states of {given} numbers")
    return given if isinstance(given, int) else node.attr("hidden_size")


def _zeros(node: Node, dims: Sequence[Dim], number: int) -> Value:
    told = [] if all(isinstance(dim, int) for dim in dims) else [node.sizes(dims)]
    return node.named(node.emit("full", *told, result_type=node.type_of(dims, number), value=0.0), dims)


def _biases(node: Node, cell: Cell, biases: Value | None, hidden: int) -> tuple[Value | None, Value | None]:
    """The biases of all gates `[gates * hidden]`, inputs' and states' in one sum; and that of GRU's state
    where the reset comes behind it, which is then not in the sum."""
    if biases is None:
        return None, None
    size = cell.gates * hidden
    of_input, of_state = columns(node, biases, 0, size), columns(node, biases, size, size)
    if cell is not GRU or not node.attr("linear_before_reset", 0):
        return node.emit("add", of_input, of_state), None
    kept = columns(node, of_state, 0, 2 * hidden)
    padded = node.emit("pad", kept, low=[0], high=[hidden], mode="constant", value=0.0)
    return node.emit("add", of_input, padded), columns(node, of_state, 2 * hidden, hidden)


def _run(direction: Direction, cell: Cell, x: Value, backwards: bool) -> tuple[list[Value], list[Value]]:
    """The states at the end, and the outputs of all times if the node has that output."""
    node, time = direction.node, x.shape[0]
    products = direction.input_products(x, cell.gates)
    lengths = _lengths(node, time, direction.batch)
    zero = node.scalar(0, x)

    def body(iteration: Value, carried: list[Value]) -> tuple[list[Value], list[Value]]:
        now = products.map(lambda value: row(node, value, iteration, backwards))
        following = cell.step(direction, now, carried)
        output = following[0]
        if lengths is not None:
            inside = _inside(node, iteration, time if backwards else None, lengths)
            output = node.emit("where", inside, following[0], zero)
            pairs = zip(following, carried, strict=True)
            following = [node.emit("where", inside, new, old) for new, old in pairs]
        return following, [output] if node.wants(0) else []

    ends, stacks = counted_loop(node, time, direction.states, body)
    return ends, [reversed_rows(node, each) if backwards else each for each in stacks]


def _lengths(node: Node, time: Dim, batch: Dim) -> Value | None:
    """How many steps each sequence of the batch has, `[batch, 1]`; None where all have all."""
    lengths = node.optional(LENGTHS)
    if lengths is None or (lengths.is_constant and np.all(lengths.known == time)):
        return None
    return node.emit("unsqueeze", node.cast(node.reshape(lengths, [batch]), TensorProto.INT64), axes=[1])


def _inside(node: Node, iteration: Value, backwards_from: Dim | None, lengths: Value) -> Value:
    """Whether the sequences have such a step."""
    if backwards_from is not None:
        iteration = node.emit("sub", node.size(backwards_from - 1), iteration)
    return node.emit("less", iteration, lengths)
