"""DynamicQuantizeLSTM: an LSTM with weights of 8 bits, whose products are sums of integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import iota, slice_axes
from mlc.frontends.onnx.operators.math.contraction import transpose_last
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.quantised import dynamically_quantised, integer_product
from mlc.frontends.onnx.operators.nn.recurrent import LENGTHS, R, W, X, recurrent
from mlc.frontends.onnx.operators.nn.recurrent_cells import LSTM, Direction, Gates, columns
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# The indices of the inputs that LSTM does not have; each scale is followed by its zero point.
W_SCALE, R_SCALE = 8, 10


@onnx_operator("DynamicQuantizeLSTM", domain=MICROSOFT)
def dynamic_quantize_lstm(node: Node) -> list[Value | None]:
    """Imports DynamicQuantizeLSTM: LSTM whose W `[direction, input, 4 * hidden]` and R `[direction, hidden,
    4 * hidden]` have a scale and zero point per direction, or per column of each.

    As in ONNX Runtime, x is quantised to ui8 by the extremes of all its steps up to the longest sequence's
    end, and the hidden state at each step by those of the whole batch.
    """
    inputs = list(node.inputs)
    inputs[X] = _within_lengths(node)
    for index in (W, R):
        inputs[index] = transpose_last(node, node.input(index))
    return recurrent(node.with_inputs(*inputs), LSTM, lambda made, position: _quantise(node, made, position))


@dataclass(frozen=True)
class _QuantisedDirection(Direction):
    """A direction with quantised weights, and the scale and zero point of each."""

    w_scale: tuple[Value, Value | None]
    r_scale: tuple[Value, Value | None]

    def state_products(self, state: Value, first: int, end: int) -> Gates:
        """Returns the contribution of a state to gates `first` to `end`, of which each has its scales."""
        return self._products(state, self.r, None, first, end)

    def multiplier(self, x: Value, weights: Value) -> Callable[[int, int], Value]:
        """Returns the function that multiplies x, quantised, by rows of w or r."""
        node = self.node
        scale, zero = self.w_scale if weights is self.w else self.r_scale
        quantised, x_scale, x_zero = dynamically_quantised(node, x)

        def multiply(first: int, count: int) -> Value:
            """Multiplies x by some rows."""
            rows = transpose_last(node, slice_axes(node, weights, {0: (first, count, 1)}))
            own_scale = _columns_of(node, scale, first, count)
            own_zero = None if zero is None else _columns_of(node, zero, first, count)
            return integer_product(node, quantised, rows, (x_zero, own_zero), (x_scale, own_scale))

        return multiply


def _columns_of(node: Node, value: Value, first: int, count: int) -> Value:
    """Returns the part of a scale or zero point for these columns."""
    return columns(node, value, first, count) if value.rank else value


def _quantise(node: Node, made: Direction, position: int) -> Direction:
    known: dict[str, Any] = {entry.name: getattr(made, entry.name) for entry in fields(made)}
    w_scale, r_scale = (_parameters(node, index, position) for index in (W_SCALE, R_SCALE))
    return _QuantisedDirection(**known, w_scale=w_scale, r_scale=r_scale)


def _parameters(node: Node, index: int, position: int) -> tuple[Value, Value | None]:
    """Returns the scale, which is input `index`, and the zero point of one direction."""
    zero = node.optional(index + 1)
    return _part(node, node.input(index), position), None if zero is None else _part(node, zero, position)


def _part(node: Node, value: Value, position: int) -> Value:
    """Returns the part of one direction of scales or zero points: a scalar, or `[4 * hidden]`."""
    own = slice_axes(node, value, {0: (position, 1, 1)})
    return node.reshape(own, own.shape[1:])


def _within_lengths(node: Node) -> Value:
    """Returns x with zeros, which any range includes, after the end of the longest sequence."""
    x, lengths = node.input(X), node.optional(LENGTHS)
    if lengths is None:
        return x
    longest = node.emit("reduce_max", node.cast(lengths, TensorProto.INT64), axes=[0], keepdims=False)
    steps = node.reshape(iota(node, x.shape[0], TensorProto.INT64), [x.shape[0], 1, 1])
    return node.emit("where", node.emit("less", steps, longest), x, node.scalar(0, x))
