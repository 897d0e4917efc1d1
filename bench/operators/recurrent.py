"""LSTM, GRU and RNN on 64 inputs: directions, hidden units, steps, sequences and their lengths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from bench.operators.case import FLOAT, Case, Shape, build

INPUTS, GATES = 64, {"LSTM": 4, "GRU": 3, "RNN": 1}
HIDDEN, STEPS, SEQUENCES = (64, 128, 256, 512), (1, 20, 100), (1, 4)


def cases() -> Iterator[Case]:
    """Yields all cases; those with lengths have 20 steps."""
    for operator, direction, hidden in product(GATES, ("forward", "bidirectional"), HIDDEN):
        for has_lengths in (False, True):
            model = _model(operator, direction, hidden, has_lengths)
            label = ", ".join(
                [operator, *([direction] if direction != "forward" else []), str(hidden)]
                + ["lengths"] * has_lengths
            )
            for steps, sequences in product((20,) if has_lengths else STEPS, SEQUENCES):
                yield Case(label, f"{steps}, {sequences}", model, [_inputs(steps, sequences, has_lengths)])


def _model(operator: str, direction: str, hidden: int, has_lengths: bool) -> onnx.ModelProto:
    generator = np.random.default_rng(0)
    directions, gates = 1 + (direction == "bidirectional"), GATES[operator] * hidden
    shapes = {"w": (gates, INPUTS), "r": (gates, hidden), "b": (2 * gates,)}
    weights = [
        numpy_helper.from_array(generator.standard_normal((directions, *shape), np.float32) / 10, name)
        for name, shape in shapes.items()
    ]
    attributes: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if operator == "GRU":
        attributes["linear_before_reset"] = 1
    operands = ["x", *shapes, *["lengths"] * has_lengths]
    node = helper.make_node(operator, operands, ["y", "h"], **attributes)
    inputs: dict[str, tuple[int, Shape]] = {"x": (FLOAT, ["steps", "sequences", INPUTS])}
    if has_lengths:
        inputs["lengths"] = (TensorProto.INT32, ["sequences"])
    return build([node], inputs, ["y", "h"], weights)


def _inputs(steps: int, sequences: int, has_lengths: bool) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(steps)
    x = {"x": generator.standard_normal((steps, sequences, INPUTS), np.float32)}
    # As after padding: the longest sequence has all steps.
    lengths = np.maximum(steps - 3 * np.arange(sequences), 1).astype(np.int32)
    return x | ({"lengths": lengths} if has_lengths else {})
