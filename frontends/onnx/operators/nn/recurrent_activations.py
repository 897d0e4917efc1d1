"""The activation functions that recurrent operators name in attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.values import Value

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
        raise NodeFailure(f"activations must name {len(defaults) * directions} functions, not {len(names)}")
    given = {each: iter(node.attr(f"activation_{each}", None) or []) for each in ("alpha", "beta")}
    found = [_activation(name, given) for name in names]
    return [found[first : first + len(defaults)] for first in range(0, len(found), len(defaults))]


def _activation(name: str, given: dict[str, Iterator[float]]) -> Activation:
    others = {"affine": _AFFINE, "scaledtanh": _SCALED_TANH}
    if name not in _OPS and name not in others:
        raise NodeFailure(f"it names an activation that ONNX does not have: {name}")
    defaults = others[name] if name in others else _OPS[name][1]
    return Activation(name, {each: float(next(given[each], value)) for each, value in defaults.items()})
