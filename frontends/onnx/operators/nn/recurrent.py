"""RNN, GRU and LSTM: one product of the whole sequence with the input weights, and a loop over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, check_shape
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.control_flow.loop_builder import counted_loop
from mlc.frontends.onnx.operators.control_flow.row_slices import reversed_rows, row
from mlc.frontends.onnx.operators.nn.recurrent_cells import (
    GRU,
    LSTM,
    RNN,
    Direction,
    RecurrentCell,
    activations,
    columns,
    zeros,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# The indices of the operators' inputs. The initial states are followed by LSTM's peepholes.
X, W, R, BIASES, LENGTHS, FIRST_STATE = range(6)

# direction -> whether each of its parts runs backwards in time.
_DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}


@onnx_operator("RNN")
def rnn(node: Node) -> list[Value | None]:
    """Imports RNN."""
    return recurrent(node, RNN)


@onnx_operator("GRU")
def gru(node: Node) -> list[Value | None]:
    """Imports GRU."""
    return recurrent(node, GRU)


@onnx_operator("LSTM")
def lstm(node: Node) -> list[Value | None]:
    """Imports LSTM."""
    return recurrent(node, LSTM)


def recurrent(
    node: Node, cell: RecurrentCell, adapt: Callable[[Direction, int], Direction] = lambda made, _: made
) -> list[Value | None]:
    """Returns the states at all times `[time, direction, batch, hidden]`, then the final ones `[direction,
    batch, hidden]`.

    With `layout` 1 the batch comes first. `adapt` changes each direction, given its position. Raises
    NodeError for an unknown direction.
    """
    batch_first = bool(node.attr("layout", 0))
    x = _swap_batch(node, node.input(X)) if batch_first else node.input(X)
    name = node.attr("direction", "forward")
    if name not in _DIRECTIONS:
        raise NodeError(f"direction must be forward, reverse or bidirectional, not {name!r}")
    outputs, ends = [], []
    for position, backwards in enumerate(_DIRECTIONS[name]):
        direction = adapt(_direction(node, cell, x, position, batch_first), position)
        end, stacks = _run(direction, cell, x, backwards)
        outputs += [node.emit("unsqueeze", stack, axes=[1]) for stack in stacks]
        ends.append([node.emit("unsqueeze", state, axes=[0]) for state in end])
    whole = _concat(node, outputs, 1) if outputs else None
    states = [
        _concat(node, list(states_of_directions), 0) for states_of_directions in zip(*ends, strict=True)
    ]
    if batch_first:
        states = [_swap_batch(node, state) for state in states]
        whole = None if whole is None else node.emit("transpose", whole, permutation=[2, 0, 1, 3])
    return [whole, *states]


def _concat(node: Node, parts: Sequence[Value], axis: int) -> Value:
    return parts[0] if len(parts) == 1 else node.emit("concat", *parts, axis=axis)


def _swap_batch(node: Node, value: Value) -> Value:
    """Exchanges the first two dims."""
    return node.emit("transpose", value, permutation=[1, 0, *range(2, value.rank)])


def _part(node: Node, value: Value | None, position: int, dims: Sequence[Dim]) -> Value | None:
    """Returns the slice of one direction, which is known to have these dims. Raises NodeError where it cannot
    have them."""
    if value is None:
        return None
    directions = len(_DIRECTIONS[node.attr("direction", "forward")])
    check_shape(value, [directions, *dims], "input")
    own = value if value.shape[0] == 1 else slice_axes(node, value, {0: (position, 1, 1)})
    part = node.emit("squeeze", own, axes=[0])
    return part if part.is_static else node.reshape(part, dims)


def _direction(node: Node, cell: RecurrentCell, x: Value, position: int, batch_first: bool) -> Direction:
    if x.rank != 3:
        raise NodeError(f"X has rank {x.rank}, not 3")
    _, batch, width = x.shape
    hidden = _hidden_size(node)
    w = _part(node, node.optional(W), position, [cell.gates * hidden, width])
    r = _part(node, node.optional(R), position, [cell.gates * hidden, hidden])
    biases = _part(node, node.optional(BIASES), position, [2 * cell.gates * hidden])
    peepholes = _part(node, node.optional(FIRST_STATE + cell.states), position, [3 * hidden])
    if w is None or r is None:
        raise NodeError("its weights are missing")
    states = []
    for index in range(FIRST_STATE, FIRST_STATE + cell.states):
        given = node.optional(index)
        if given is None:
            states.append(zeros(node, [batch, hidden], x.onnx_type))
            continue
        state = _part(node, _swap_batch(node, given) if batch_first else given, position, [batch, hidden])
        assert state is not None, "a given state has a part for each direction"
        states.append(state)
    bias, reset_bias = _biases(node, cell, biases, hidden)
    functions = activations(node, cell.functions)[position]
    return Direction(node, hidden, batch, w, r, bias, reset_bias, peepholes, states, functions)


def _hidden_size(node: Node) -> int:
    """Returns the size of a state. Raises NodeError where it is not given, or given twice with different
    values."""
    given = node.input(R).shape[-1]
    declared = node.attr("hidden_size", None)
    if isinstance(given, int) and declared not in (None, given):
        raise NodeError(f"hidden_size is {declared}, but R is for states of {given} elements")
    return given if isinstance(given, int) else node.attr("hidden_size")


def _biases(
    node: Node, cell: RecurrentCell, biases: Value | None, hidden: int
) -> tuple[Value | None, Value | None]:
    """Returns the biases of all gates `[gates * hidden]`, as sums of inputs' and states'; and the state's of
    GRU.

    The latter is not in the sum where the reset follows it.
    """
    if biases is None:
        return None, None
    size = cell.gates * hidden
    of_input, of_state = columns(node, biases, 0, size), columns(node, biases, size, size)
    if cell is not GRU or not node.attr("linear_before_reset", 0):
        return node.emit("add", of_input, of_state), None
    kept = columns(node, of_state, 0, 2 * hidden)
    padded = node.emit("pad", kept, low=[0], high=[hidden], mode="constant", value=0.0)
    return node.emit("add", of_input, padded), columns(node, of_state, 2 * hidden, hidden)


def _run(
    direction: Direction, cell: RecurrentCell, x: Value, backwards: bool
) -> tuple[list[Value], list[Value]]:
    """Runs one direction; returns the final states, and the outputs of all times if the node has that
    output."""
    node, time = direction.node, x.shape[0]
    products = direction.input_products(x, cell.gates)
    lengths = _lengths(node, time, direction.batch)
    zero, start = node.scalar(0, x), node.constant(np.int64(0))

    def body(iteration: Value, carried: list[Value]) -> tuple[list[Value], list[Value]]:
        """Computes one step."""
        now = products.map(lambda value: row(node, value, iteration, backwards))
        is_start = None if node.optional(FIRST_STATE) else node.emit("equal", iteration, start)
        following = cell.step(replace(direction, is_start=is_start), now, carried)
        output = following[0]
        if lengths is not None:
            inside = _inside(node, iteration, time if backwards else None, lengths)
            output = node.emit("where", inside, following[0], zero)
            pairs = zip(following, carried, strict=True)
            following = [node.emit("where", inside, new, old) for new, old in pairs]
        return following, [output] if node.wants(0) else []

    ends, stacks = counted_loop(node, time, direction.states, body)
    return ends, [reversed_rows(node, stack) if backwards else stack for stack in stacks]


def _lengths(node: Node, time: Dim, batch: Dim) -> Value | None:
    """Returns the number of steps of each sequence of the batch, `[batch, 1]`; None where all have all."""
    lengths = node.optional(LENGTHS)
    if lengths is not None:
        check_shape(lengths, [batch], "sequence_lens")
    if lengths is None or (lengths.is_constant and np.all(lengths.known == time)):
        return None
    return node.emit("unsqueeze", node.cast(node.reshape(lengths, [batch]), TensorProto.INT64), axes=[1])


def _inside(node: Node, iteration: Value, backwards_from: Dim | None, lengths: Value) -> Value:
    """Returns which sequences have this step."""
    if backwards_from is not None:
        iteration = node.emit("sub", node.size(backwards_from - 1), iteration)
    return node.emit("less", iteration, lengths)
