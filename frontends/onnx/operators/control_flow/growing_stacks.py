"""Stacks of which only running tells how many rows they have, or the rows' dims: carried values that grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.element_types import numpy_dtype
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.control_flow.region_results import is_outer
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class Run:
    """What one run of a body gives: whether there may be another (None: yes), the next carried values, and
    those to stack."""

    condition: Value | None
    carried: Sequence[Value]
    scanned: Sequence[Value]


# The iteration, the condition and the carried values -> what the body gives.
LoopBody = Callable[[Value, Value, list[Value]], Run]


@dataclass(frozen=True)
class Grown:
    """A loop with some of its stacks, `grown` by their places, carried: each as a vector of all elements so
    far, and a vector of the number of rows and the rows' dims. `names` are those of sizes around the loop."""

    node: Node
    grown: Mapping[int, Value]
    first: Sequence[Value]
    inside: LoopBody
    names: frozenset[str]

    def initial(self) -> list[Value]:
        """What is carried at first: the stacks are empty."""
        node, values = self.node, list(self.first)
        for value in self.grown.values():
            values.append(node.constant(np.zeros(0, numpy_dtype(value.number))))
            values.append(node.constant(np.zeros(1 + value.rank, np.int64)))
        return values

    def body(self, iteration: Value, going: Value, carried: list[Value]) -> Run:
        """The body, which adds a row to each stack."""
        count = len(self.first)
        run = self.inside(iteration, going, carried[:count])
        stacks = carried[count:]
        added: list[Value] = []
        for number, place in enumerate(self.grown):
            added += self._added(run.scanned[place], *stacks[2 * number : 2 * number + 2])
        rest = [value for place, value in enumerate(run.scanned) if place not in self.grown]
        return Run(run.condition, [*run.carried, *added], rest)

    def _added(self, value: Value, elements: Value, dims: Value) -> list[Value]:
        node, one = self.node, self.node.constant(np.ones(1, np.int64))
        rows = node.emit("add", node.emit("slice", dims, starts=[0], sizes=[1], steps=[1]), one)
        flat = node.reshape(value, [product(value.shape)])
        told = node.emit("concat", rows, node.sizes(value.shape), axis=0) if value.rank else rows
        return [node.emit("concat", elements, flat, axis=0), told]

    def results(self, values: Sequence[Value], count: int) -> list[Value]:
        """The carried values and all stacks, from what the loop gives."""
        ends = values[count : count + 2 * len(self.grown)]
        stacks = list(values[count + len(ends) :])
        for number, (place, value) in enumerate(self.grown.items()):
            elements, dims = ends[2 * number : 2 * number + 2]
            stacks.insert(place, self._stack(value, elements, dims))
        return [*values[:count], *stacks]

    def _stack(self, value: Value, elements: Value, dims: Value) -> Value:
        rows, *told = self.node.read_dims(dims)
        pairs = zip(value.shape, told, strict=True)
        own: list[Dim] = [dim if is_outer(dim, self.names) else read for dim, read in pairs]
        return self.node.reshape(elements, [rows, *own])
