"""LSTM, GRU and RNN layers with open batch and length, as exporters write their initial states."""

from __future__ import annotations

import numpy as np

from mlc.tools.fuzz.exported.idioms import linear
from mlc.tools.fuzz.exported.model_draw import Dim, ModelDraw, integers

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def draw(m: ModelDraw) -> None:
    """Draws one or two layers between a layout's transposes."""
    batch, length = (
        m.dim("batch", (1, 2, 3), (1, 2, 3, 16, 17)),
        m.dim("sequence", (2, 5, 16), (2, 3, 15, 17)),
    )
    width = m.pick(3, 8, 16)
    dims: list[Dim] = [batch, length]
    by_batch = m.chance(0.5)
    x = m.input("x", [*(dims if by_batch else dims[::-1]), width])
    y = m.op("Transpose", x, perm=[1, 0, 2]) if by_batch else x
    if m.chance(0.2):
        y = m.op("Relu", linear(m, y, width, width))
    for _ in range(m.pick(1, 1, 2)):
        y, width = _layer(m, y, width, batch)
    y = m.op("Transpose", y, perm=[1, 0, 2]) if by_batch else y
    m.output(linear(m, y, width, 5) if m.chance(0.4) else y)


def _layer(m: ModelDraw, x: str, width: int, batch: Dim) -> tuple[str, int]:
    """Returns length x batch x directions * hidden, and the last dim."""
    if m.chance(0.15):
        return _quantised_lstm(m, x, width)
    operator = m.pick("LSTM", "LSTM", "GRU", "RNN")
    hidden, gates = m.pick(4, 8, 17), _GATES[operator]
    direction = m.pick("forward", "forward", "bidirectional", "reverse")
    count = 2 if direction == "bidirectional" else 1
    w = m.weight(count, gates * hidden, width, fan_in=width)
    r = m.weight(count, gates * hidden, hidden, fan_in=hidden)
    b = m.weight(count, 2 * gates * hidden) if m.chance(0.8) else ""
    lengths = ""
    if m.chance(0.15) and "lengths" not in m.names:
        lengths = m.input("lengths", [batch], integers(1, 3, np.int32))
    state = _state(m, x, count, hidden) if m.chance(0.6) else ""
    states = [state, state] if operator == "LSTM" and state else [state] if state else []
    inputs = [x, w, r, b, lengths, *states]
    while not inputs[-1]:
        inputs.pop()
    results = m.ops(
        operator,
        2,
        *inputs,
        hidden_size=hidden,
        direction=direction if count == 2 or direction != "forward" else None,
        linear_before_reset=1 if operator == "GRU" and m.chance(0.6) else None,
    )
    if m.chance(0.5):
        m.output(results[1])
    if count == 1:
        return m.axes("Squeeze", results[0], [1]), hidden
    moved = m.op("Transpose", results[0], perm=[0, 2, 1, 3])
    return m.op("Reshape", moved, m.constant([0, 0, -1])), 2 * hidden


def _quantised_lstm(m: ModelDraw, x: str, width: int) -> tuple[str, int]:
    """An LSTM that ONNX Runtime's dynamic quantisation has replaced: weights of 8 bits, transposed."""
    hidden = m.pick(4, 8)
    w, r = (m.constant(m.rng.integers(-63, 64, (1, rows, 4 * hidden)), np.int8) for rows in (width, hidden))
    scales = [m.constant([value], np.float32) for value in (0.011, 0.007)]
    zero = m.constant([0], np.int8)
    bias = m.weight(1, 8 * hidden)
    inputs = [x, w, r, bias, "", "", "", "", scales[0], zero, scales[1], zero]
    results = m.ops("DynamicQuantizeLSTM", 2, *inputs, hidden_size=hidden, domain="com.microsoft")
    return m.axes("Squeeze", results[0], [1]), hidden


def _state(m: ModelDraw, x: str, count: int, hidden: int) -> str:
    """Zeros of directions x batch x hidden, by ConstantOfShape or Expand of the batch's size."""
    batch = m.op("Gather", m.op("Shape", x), m.constant(1), axis=0)
    size = m.axes("Unsqueeze", batch, [0])
    shape = m.op("Concat", m.constant([count]), size, m.constant([hidden]), axis=0)
    if m.chance(0.5):
        return m.op("ConstantOfShape", shape)
    return m.op("Expand", m.weight(1, 1, hidden), shape)
