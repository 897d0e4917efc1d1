"""One step of RNN, GRU and LSTM.

The activation functions that recurrent operators name in attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import sliced
from mlc.frontends.onnx.operators.math.contraction import transposed
from mlc.frontends.onnx.values import Dim, Value

Function = Callable[[Node, Value], Value]

# Graph op and its parameters, of which `activation_alpha` and `activation_beta` give others than these.
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
    """A function by its name in ONNX, in small letters, with its parameters."""

    name: str
    parameters: dict[str, float]

    def __call__(self, node: Node, x: Value) -> Value:
        if self.name == "affine":
            return node.emit("add", self._scaled(node, x, "alpha"), node.scalar(self.parameters["beta"], x))
        if self.name == "scaledtanh":
            inner = node.emit("tanh", self._scaled(node, x, "beta"))
            return self._scaled(node, inner, "alpha")
        return node.emit(_OPS[self.name][0], x, **self.parameters)

    def _scaled(self, node: Node, x: Value, parameter: str) -> Value:
        return node.emit("mul", x, node.scalar(self.parameters[parameter], x))


def activations(node: Node, defaults: Sequence[str]) -> list[list[Activation]]:
    """The functions of each direction; `defaults` are those of one. Parameters are taken from the attributes
    in the order of the functions that have such a parameter."""
    directions = 2 if node.attr("direction", "forward") == "bidirectional" else 1
    names = [str(each).lower() for each in node.attr("activations", None) or [*defaults] * directions]
    if len(names) != len(defaults) * directions:
        raise NodeError(f"activations must name {len(defaults) * directions} functions, not {len(names)}")
    given = {each: iter(node.attr(f"activation_{each}", None) or []) for each in ("alpha", "beta")}
    found = [_activation(name, given) for name in names]
    return [found[first : first + len(defaults)] for first in range(0, len(found), len(defaults))]


def _activation(name: str, given: dict[str, Iterator[float]]) -> Activation:
    others = {"affine": _AFFINE, "scaledtanh": _SCALED_TANH}
    if name not in _OPS and name not in others:
        raise NodeError(f"it names an activation that ONNX does not have: {name}")
    defaults = others[name] if name in others else _OPS[name][1]
    return Activation(name, {each: float(next(given[each], value)) for each, value in defaults.items()})


@dataclass(frozen=True)
class Gates:
    """Numbers for each gate, `[..., hidden]`: pairs of the first gate and a value that holds those of one
    gate or of several, side by side."""

    parts: Sequence[tuple[int, Value]]
    hidden: int

    def map(self, function: Callable[[Value], Value]) -> Gates:
        """The gates with a function of each of their values."""
        return Gates([(first, function(value)) for first, value in self.parts], self.hidden)

    def of(self, node: Node, gate: int) -> Value:
        """The numbers of one gate."""
        first, value = max(((k, each) for k, each in self.parts if k <= gate), key=lambda part: part[0])
        return columns(node, value, (gate - first) * self.hidden, self.hidden)


def columns(node: Node, value: Value, start: int, count: int) -> Value:
    """`count` elements of the last dim from `start` on."""
    whole = value.shape[-1] == count
    return value if whole else sliced(node, value, {value.rank - 1: (start, count, 1)})


@dataclass(frozen=True)
class Direction:
    """One direction of a recurrent node, with its own weights.

    w `[gates * hidden, input]`, r `[gates * hidden, hidden]`, bias `[gates * hidden]`, reset_bias `[hidden]`,
    peepholes `[3 * hidden]`, states `[batch, hidden]`.
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

    def input_products(self, x: Value, gates: int) -> Gates:
        """What the gates get from x `[time, batch, input]`, at all times."""
        return self._products(x, self.w, self.bias, 0, gates)

    def state_products(self, state: Value, first: int, end: int) -> Gates:
        """What gates `first` to `end` get from a state."""
        return self._products(state, self.r, None, first, end)

    def _products(self, x: Value, weights: Value, bias: Value | None, first: int, end: int) -> Gates:
        node, size = self.node, self.hidden
        # One product for all gates where a gate is a part of a row, which costs no copy; else one for each.
        step = end - first if self.batch == 1 else 1
        parts = []
        for gate in range(first, end, step):
            own = sliced(node, weights, {0: (gate * size, step * size, 1)})
            value = node.emit("matmul", x, transposed(node, own))
            if bias is not None:
                value = node.emit("add", value, columns(node, bias, gate * size, step * size))
            parts.append((gate, value))
        return Gates(parts, size)

    def add(self, a: Gates, b: Gates) -> Gates:
        """Sums of gates that are held alike."""
        pairs = zip(a.parts, b.parts, strict=True)
        return Gates([(k, self.node.emit("add", x, y)) for (k, x), (_, y) in pairs], self.hidden)

    def activate(self, place: int, x: Value) -> Value:
        """The activation number `place` of what a gate sums up, which is clipped first if the node asks."""
        limit = self.node.attr("clip", None)
        if limit is not None:
            x = self.node.emit("clamp", x, min=-float(limit), max=float(limit))
        return self.functions[place](self.node, x)

    def one_minus(self, x: Value) -> Value:
        """1 - x."""
        return self.node.emit("sub", self.node.scalar(1, x), x)


# (direction, products of the input at one time, states) -> the next states, of which the first is the output.
Step = Callable[[Direction, Gates, list[Value]], list[Value]]


@dataclass(frozen=True)
class Cell:
    """A kind of recurrent node: its numbers of gates and states, the activations of one direction."""

    gates: int
    states: int
    functions: tuple[str, ...]
    step: Step


def _rnn_step(cell: Direction, x: Gates, states: list[Value]) -> list[Value]:
    total = cell.add(cell.state_products(states[0], 0, 1), x)
    return [cell.activate(0, total.of(cell.node, 0))]


def _gru_step(cell: Direction, x: Gates, states: list[Value]) -> list[Value]:
    """Gates: update z, reset r, hidden h."""
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
    """Gates: input i, output o, forget f, cell c."""
    node, (state, memory) = cell.node, states
    emit = node.emit
    total = cell.add(cell.state_products(state, 0, 4), x)
    i = cell.activate(0, _peeped(cell, total.of(node, 0), 0, memory))
    if node.attr("input_forget", 0):
        f = cell.one_minus(i)
    else:
        f = cell.activate(0, _peeped(cell, total.of(node, 2), 2, memory))
    c = cell.activate(1, total.of(node, 3))
    memory = emit("add", emit("mul", f, memory), emit("mul", i, c))
    o = cell.activate(0, _peeped(cell, total.of(node, 1), 1, memory))
    # ONNX Runtime clips what gates sum up, and not the memory.
    return [emit("mul", o, cell.functions[2](node, memory)), memory]


def _peeped(cell: Direction, gate: Value, place: int, memory: Value) -> Value:
    """What a gate sums up, with its view of the memory."""
    if cell.peepholes is None:
        return gate
    weights = columns(cell.node, cell.peepholes, place * cell.hidden, cell.hidden)
    return cell.node.emit("add", gate, cell.node.emit("mul", weights, memory))


RNN = Cell(1, 1, ("Tanh",), _rnn_step)
GRU = Cell(3, 1, ("Sigmoid", "Tanh"), _gru_step)
LSTM = Cell(4, 2, ("Sigmoid", "Tanh", "Tanh"), _lstm_step)
