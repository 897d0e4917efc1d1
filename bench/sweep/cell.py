"""A cell of the sweep: one operator with its sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 20
IR_VERSION = 9
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """An operator on inputs of the given shapes; integers of an input of `below` are less than its entry.

    `open_axes`: by input, the axes whose extents are open; none are in a cell of fixed sizes.
    """

    family: str
    name: str
    operator: str
    inputs: Mapping[str, Shape]
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    open_axes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    below: Mapping[str, int] = field(default_factory=dict)
    # The operator's operands, "" for one left out; default: inputs, then weights.
    operands: Sequence[str] = ()

    @property
    def is_open(self) -> bool:
        """Whether an axis of an input is open."""
        return any(self.open_axes.values())

    def model(self) -> onnx.ModelProto:
        """Returns the model with this node alone."""
        operands = self.operands or [*self.inputs, *self.weights]
        node = helper.make_node(self.operator, operands, ["y"], name="cell", **self.attributes)
        tensors = [numpy_helper.from_array(value, name) for name, value in self.weights.items()]
        values = [
            helper.make_tensor_value_info(name, self._element_type(name), self._dims(name, shape))
            for name, shape in self.inputs.items()
        ]
        result = helper.make_empty_tensor_value_info("y")
        graph = helper.make_graph([node], "cell", values, [result], tensors)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        return onnx.shape_inference.infer_shapes(model, data_prop=True)

    def draw(self, seed: int) -> dict[str, np.ndarray]:
        """Draws the inputs: floats of mean 0 and variance 1, or integers."""
        generator = np.random.default_rng(seed)
        return {
            name: generator.integers(0, self.below[name], shape)
            if name in self.below
            else generator.standard_normal(shape, np.float32)
            for name, shape in self.inputs.items()
        }

    def _element_type(self, name: str) -> int:
        return onnx.TensorProto.INT64 if name in self.below else onnx.TensorProto.FLOAT

    def _dims(self, name: str, shape: Shape) -> list[int | str]:
        """Returns the dims of an input: open axes of one extent, as far from the last one, share a name."""
        axes = [axis % len(shape) for axis in self.open_axes.get(name, ())]
        return [
            f"d{len(shape) - axis}_{extent}" if axis in axes else extent for axis, extent in enumerate(shape)
        ]


def weight(random: Random, shape: Sequence[int]) -> np.ndarray:
    """Draws weights whose results have about the variance of the operand."""
    fan_in = math.prod(shape[1:]) if len(shape) > 2 else shape[0]
    generator = np.random.default_rng(random.getrandbits(32))
    return generator.standard_normal(tuple(shape), np.float32) / np.float32(math.sqrt(max(fan_in, 1)))


def log_uniform(random: Random, least: float, most: float) -> float:
    """Draws a value whose logarithm is uniform."""
    return math.exp(random.uniform(math.log(least), math.log(most)))


def extent(random: Random, least: int, most: int) -> int:
    """Draws an extent: half of them are a multiple of 8, where one fits."""
    drawn = round(log_uniform(random, least, most))
    return drawn - drawn % 8 if drawn >= max(least, 8) + 8 and random.random() < 0.5 else drawn


def extents(random: Random, rank: int, elements: float) -> list[int]:
    """Draws a shape of `rank` axes with some `elements`; one of six axes has one point."""
    found = [1] * rank
    longer = [axis for axis in range(rank) if random.random() > 1 / 6] or [0]
    random.shuffle(longer)
    for index, axis in enumerate(longer):
        left = max(elements / math.prod(found), 1.0)
        mean = left ** (1 / (len(longer) - index))
        last = index + 1 == len(longer)
        drawn = left if last else min(left, log_uniform(random, max(mean / 4, 1), mean * 4))
        found[axis] = max(1, round(drawn))
    return found


def some_axes(random: Random, rank: int) -> list[int]:
    """Draws open axes: none, all, or each with one half."""
    return random.choice(([], list(range(rank)), [axis for axis in range(rank) if random.random() < 0.5]))


def text(extents: Sequence[int]) -> str:
    """Returns extents as names of cells have them."""
    return "x".join(map(str, extents))
