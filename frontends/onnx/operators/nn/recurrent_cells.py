"""One step of RNN, GRU and LSTM, and the activation functions that they name in attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.control_flow.conditional import choose
from mlc.frontends.onnx.operators.math.contraction import transpose_last
from mlc.frontends.onnx.values import Dim, Value

Function = Callable[[Node, Value], Value]

# Graph op and its default parameters, which `activation_alpha` and `activation_beta` override.
_OPS: dict[str, tuple[str, dict[str, float]]] = {
    "elu": ("elu", {"alpha": 1.0}),
    "hardsigmoid": ("hard_sigmoid", {"alpha": 0.2, "beta": 0.5}),
    "leakyrelu": ("leaky_relu", {"alpha": 0.01}),
    "relu": ("relu", {}),
    "sigmoid": ("sigmoid", {}),
    "softplus": ("softplus", {}),
    "softsign": ("softsign", {}),
    "tanh": ("tanh", {}),
    "thresholdedrelu": ("thresholded_relu", {"alpha": 1.0}),
}

_AFFINE = {"alpha": 1.0, "beta": 0.0}

_SCALED_TANH = {"alpha": 1.0, "beta": 1.0}


@dataclass(frozen=True)
class Activation:
    """An activation function by its name in ONNX, in lower case, with its parameters."""

    name: str
    parameters: dict[str, float]

    def __call__(self, node: Node, x: Value) -> Value:
        if self.name == "affine":
            return node.emit("add", self._scale_by(node, x, "alpha"), node.scalar(self.parameters["beta"], x))
        if self.name == "scaledtanh":
            inner = node.emit("tanh", self._scale_by(node, x, "beta"))
            return self._scale_by(node, inner, "alpha")
        return node.emit(_OPS[self.name][0], x, **self.parameters)

    def _scale_by(self, node: Node, x: Value, parameter: str) -> Value:
        return node.emit("mul", x, node.scalar(self.parameters[parameter], x))


def activations(node: Node, defaults: Sequence[str]) -> list[list[Activation]]:
    """Returns the functions of each direction; `defaults` are those of one.

    Parameters are taken from the attributes in the order of the functions that have such a parameter. Raises
    NodeError for unknown functions.
    """
    directions = 2 if node.attr("direction", "forward") == "bidirectional" else 1
    names = [str(function).lower() for function in node.attr("activations", None) or [*defaults] * directions]
    if len(names) != len(defaults) * directions:
        raise NodeError(f"activations must name {len(defaults) * directions} functions, not {len(names)}")
    given = {
        parameter: iter(node.attr(f"activation_{parameter}", None) or []) for parameter in ("alpha", "beta")
    }
    found = [_activation(name, given) for name in names]
    return [found[first : first + len(defaults)] for first in range(0, len(found), len(defaults))]


def _activation(name: str, given: dict[str, Iterator[float]]) -> Activation:
    others = {"affine": _AFFINE, "scaledtanh": _SCALED_TANH}
    if name not in _OPS and name not in others:
        raise NodeError(f"it names an activation that ONNX does not have: {name}")
    defaults = others[name] if name in others else _OPS[name][1]
    return Activation(
        name, {parameter: float(next(given[parameter], value)) for parameter, value in defaults.items()}
    )


@dataclass(frozen=True)
class Gates:
    """The values of gates, `[..., hidden]`: pairs of the first gate and a value that holds one gate or
    several contiguous ones."""

    parts: Sequence[tuple[int, Value]]
    hidden: int

    def map(self, function: Callable[[Value], Value]) -> Gates:
        """Applies a function to each of the values."""
        return Gates([(first, function(value)) for first, value in self.parts], self.hidden)

    def of(self, node: Node, gate: int) -> Value:
        """Returns the values of one gate."""
        first, value = max(((k, part) for k, part in self.parts if k <= gate), key=lambda part: part[0])
        return columns(node, value, (gate - first) * self.hidden, self.hidden)


def zeros(node: Node, dims: Sequence[Dim], onnx_type: int) -> Value:
    """Returns a tensor of zeros."""
    operands = [] if all(isinstance(dim, int) for dim in dims) else [node.sizes(dims)]
    return node.name_dims(
        node.emit("full", *operands, result_type=node.type_of(dims, onnx_type), value=0.0), dims
    )


def columns(node: Node, value: Value, start: int, count: int) -> Value:
    """Returns `count` elements of the last dim from `start` on."""
    whole = value.shape[-1] == count
    return value if whole else slice_axes(node, value, {value.rank - 1: (start, count, 1)})


@dataclass(frozen=True)
class Direction:
    """One direction of a recurrent node, with its weights.

    w `[gates * hidden, input]`, r `[gates * hidden, hidden]`, bias `[gates * hidden]`, reset_bias `[hidden]`,
    peepholes `[3 * hidden]`, states `[batch, hidden]`. In a step `is_start` is whether the first state is
    still zero, None where it never is.
    """

    node: Node
    hidden: int
    batch: Dim
    w: Value
    r: Value
    bias: Value | None
    reset_bias: Value | None
    peepholes: Value | None
    states: Sequence[Value]
    functions: Sequence[Activation]
    is_start: Value | None = field(default=None, kw_only=True)

    def input_products(self, x: Value, gates: int) -> Gates:
        """Returns the contribution of x `[time, batch, input]` to the gates, at all times."""
        return self._products(x, self.w, self.bias, 0, gates)

    def state_products(self, state: Value, first: int, end: int) -> Gates:
        """Returns the contribution of a state to gates `first` to `end`. It does not read the weights for a
        state of zeros."""
        if self.is_start is None:
            return self._products(state, self.r, None, first, end)
        node, size, count = self.node, self.hidden, end - first
        rows = slice_axes(node, self.r, {0: (first * size, count * size, 1)})

        def multiply() -> list[Value]:
            """Builds the product."""
            return [node.emit("matmul", state, transpose_last(node, rows))]

        def start() -> list[Value]:
            """Builds the product of zeros."""
            return [zeros(node, [self.batch, count * size], state.onnx_type)]

        [total] = choose(node, self.is_start, start, multiply)
        step = self._gates_per_part(count)
        parts = [(first + k, columns(node, total, k * size, step * size)) for k in range(0, count, step)]
        return Gates(parts, size)

    def _gates_per_part(self, count: int) -> int:
        """Returns how many of `count` gates a value holds: all where a gate is a part of a row, which costs
        no copy; else one."""
        return count if self.batch == 1 else 1

    def _products(self, x: Value, weights: Value, bias: Value | None, first: int, end: int) -> Gates:
        node, size, multiply = self.node, self.hidden, self.multiplier(x, weights)
        step = self._gates_per_part(end - first)
        parts = []
        for gate in range(first, end, step):
            value = multiply(gate * size, step * size)
            if bias is not None:
                value = node.emit("add", value, columns(node, bias, gate * size, step * size))
            parts.append((gate, value))
        return Gates(parts, size)

    def multiplier(self, x: Value, weights: Value) -> Callable[[int, int], Value]:
        """Returns the function that multiplies x by rows of w or r, given the first row and their count."""

        def multiply(first: int, count: int) -> Value:
            """Multiplies x by some rows."""
            rows = slice_axes(self.node, weights, {0: (first, count, 1)})
            return self.node.emit("matmul", x, transpose_last(self.node, rows))

        return multiply

    def add(self, a: Gates, b: Gates) -> Gates:
        """Adds gates that are grouped the same way."""
        pairs = zip(a.parts, b.parts, strict=True)
        return Gates([(k, self.node.emit("add", x, y)) for (k, x), (_, y) in pairs], self.hidden)

    def activate(self, index: int, x: Value) -> Value:
        """Applies the activation with this index to a gate's sum, which is clipped first if the node has
        `clip`."""
        limit = self.node.attr("clip", None)
        if limit is not None:
            x = self.node.emit("clamp", x, min=-float(limit), max=float(limit))
        return self.functions[index](self.node, x)

    def one_minus(self, x: Value) -> Value:
        """Returns 1 - x."""
        return self.node.emit("sub", self.node.scalar(1, x), x)


# (direction, products of the input at one time, states) -> the next states, of which the first is the output.
Step = Callable[[Direction, Gates, list[Value]], list[Value]]


@dataclass(frozen=True)
class RecurrentCell:
    """A type of recurrent node: the number of its gates and states, the default activations of one direction,
    and its step."""

    gates: int
    states: int
    functions: tuple[str, ...]
    step: Step


def _rnn_step(cell: Direction, x: Gates, states: list[Value]) -> list[Value]:
    total = cell.add(cell.state_products(states[0], 0, 1), x)
    return [cell.activate(0, total.of(cell.node, 0))]


def _gru_step(cell: Direction, x: Gates, states: list[Value]) -> list[Value]:
    """Computes a step of GRU. Gates: update z, reset r, hidden h."""
    node, (state,) = cell.node, states
    emit, late = node.emit, bool(node.attr("linear_before_reset", 0))
    product = cell.state_products(state, 0, 3 if late else 2)
    z, r = (cell.activate(0, emit("add", product.of(node, gate), x.of(node, gate))) for gate in (0, 1))
    if late:
        hidden = product.of(node, 2)
        hidden = hidden if cell.reset_bias is None else emit("add", hidden, cell.reset_bias)
        hidden = emit("mul", r, hidden)
    else:
        hidden = cell.state_products(emit("mul", r, state), 2, 3).of(node, 2)
    h = cell.activate(1, emit("add", hidden, x.of(node, 2)))
    return [emit("add", emit("mul", cell.one_minus(z), h), emit("mul", z, state))]


def _lstm_step(cell: Direction, x: Gates, states: list[Value]) -> list[Value]:
    """Computes a step of LSTM. Gates: input i, output o, forget f, cell c."""
    node, (state, memory) = cell.node, states
    emit = node.emit
    total = cell.add(cell.state_products(state, 0, 4), x)
    i = cell.activate(0, _add_peephole(cell, total.of(node, 0), 0, memory))
    if node.attr("input_forget", 0):
        f = cell.one_minus(i)
    else:
        f = cell.activate(0, _add_peephole(cell, total.of(node, 2), 2, memory))
    c = cell.activate(1, total.of(node, 3))
    memory = emit("add", emit("mul", f, memory), emit("mul", i, c))
    o = cell.activate(0, _add_peephole(cell, total.of(node, 1), 1, memory))
    # ONNX Runtime clips the gates' sums, and not the memory.
    return [emit("mul", o, cell.functions[2](node, memory)), memory]


def _add_peephole(cell: Direction, gate: Value, index: int, memory: Value) -> Value:
    """Returns a gate's sum plus the peephole connection to the memory."""
    if cell.peepholes is None:
        return gate
    weights = columns(cell.node, cell.peepholes, index * cell.hidden, cell.hidden)
    return cell.node.emit("add", gate, cell.node.emit("mul", weights, memory))


RNN = RecurrentCell(1, 1, ("Tanh",), _rnn_step)
GRU = RecurrentCell(3, 1, ("Sigmoid", "Tanh"), _gru_step)
LSTM = RecurrentCell(4, 2, ("Sigmoid", "Tanh", "Tanh"), _lstm_step)
