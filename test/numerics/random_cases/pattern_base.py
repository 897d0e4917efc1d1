"""The base class of patterns of random models."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper
from random_graphs import LARGEST, RandomGraph


class PatternBase(RandomGraph):
    """Nodes whose results and shapes follow from few words."""

    def add(self, op: str, *operands: str, shape: tuple[int, ...] | None = None, **attributes: Any) -> str:
        """A node; its result has the first operand's shape unless one is given. The result's name."""
        self.node(op, list(operands), self.values[operands[0]] if shape is None else shape, **attributes)
        return list(self.values)[-1]

    def full(self, value: float, *shape: int) -> str:
        return self.constant(np.full(shape, value, np.float32))

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def value_of_rank(self, least: int, most: int = 9) -> str | None:
        return self.value(lambda shape: least <= len(shape) <= most and np.prod(shape) <= LARGEST // 2)

    def reshape_to(self, x: str, *shape: int) -> str:
        return self.add("Reshape", x, self.ints(*shape), shape=shape)

    def permute(self, x: str, *order: int) -> str:
        return self.add("Transpose", x, shape=tuple(self.values[x][axis] for axis in order), perm=order)

    def part(self, x: str, axis: int, start: int, end: int) -> str:
        shape = self.values[x]
        sizes = (*shape[:axis], end - start, *shape[axis + 1 :])
        return self.add("Slice", x, self.ints(start), self.ints(end), self.ints(axis), shape=sizes)

    def keep(self, constant: str, shape: tuple[int, ...]) -> str:
        """Declares a constant as a value that nodes can follow."""
        self.values[constant] = (*[1] * (len(shape) - 1), shape[-1])
        return constant

    def add_hidden(self, op: str, *operands: str, **attributes: Any) -> str:
        """Adds a node whose result other pieces do not read: it may have another type than f32."""
        name = f"h{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(operands), [name], name=f"{name}_{op}", **attributes))
        return name

    def positive(self) -> str:
        """Some value made larger than 0.5 and smaller than 1.5."""
        return self.add("Add", self.add("Abs", self.add("Tanh", self.value())), self.full(0.5))
