"""Stacks with a dynamic number of rows, or rows of dynamic dims: carried values that grow."""

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
class BodyResults:
    """The results of one iteration of a body.

    `condition`: whether there may be another (None: yes), `carried` the next carried values, `scanned` the
    values to stack.
    """

    condition: Value | None
    carried: Sequence[Value]
    scanned: Sequence[Value]


# (iteration, condition, carried values) -> results of the body.
LoopBody = Callable[[Value, Value, list[Value]], BodyResults]


@dataclass(frozen=True)
class GrowingStacks:
    """A loop that carries some of its stacks.

    Each of the stacks `grown`, by index, is carried as a vector of all elements so far, and a vector of the
    number of rows and the rows' dims. `names` are those of sizes around the loop.
    """

    node: Node
    grown: Mapping[int, Value]
    first: Sequence[Value]
    inside: LoopBody
    names: frozenset[str]

    def initial(self) -> list[Value]:
        """Returns the initial carried values, with empty stacks."""
        node, values = self.node, list(self.first)
        for value in self.grown.values():
            values.append(node.constant(np.zeros(0, numpy_dtype(value.onnx_type))))
            values.append(node.constant(np.zeros(1 + value.rank, np.int64)))
        return values

    def body(self, iteration: Value, going: Value, carried: list[Value]) -> BodyResults:
        """Runs the body and appends a row to each stack."""
        count = len(self.first)
        run = self.inside(iteration, going, carried[:count])
        stacks = carried[count:]
        added: list[Value] = []
        for slot, index in enumerate(self.grown):
            added += self._append_row(run.scanned[index], *stacks[2 * slot : 2 * slot + 2])
        rest = [value for index, value in enumerate(run.scanned) if index not in self.grown]
        return BodyResults(run.condition, [*run.carried, *added], rest)

    def _append_row(self, value: Value, elements: Value, dims: Value) -> list[Value]:
        node, one = self.node, self.node.constant(np.ones(1, np.int64))
        rows = node.emit("add", node.emit("slice", dims, starts=[0], sizes=[1], steps=[1]), one)
        flat = node.reshape(value, [product(value.shape)])
        dims_vector = node.emit("concat", rows, node.sizes(value.shape), axis=0) if value.rank else rows
        return [node.emit("concat", elements, flat, axis=0), dims_vector]

    def results(self, values: Sequence[Value], count: int) -> list[Value]:
        """Returns the carried values and all stacks from the results of the loop."""
        ends = values[count : count + 2 * len(self.grown)]
        stacks = list(values[count + len(ends) :])
        for slot, (index, value) in enumerate(self.grown.items()):
            elements, dims = ends[2 * slot : 2 * slot + 2]
            stacks.insert(index, self._stack(value, elements, dims))
        return [*values[:count], *stacks]

    def _stack(self, value: Value, elements: Value, dims: Value) -> Value:
        rows, *row_dims = self.node.read_dims(dims)
        pairs = zip(value.shape, row_dims, strict=True)
        own: list[Dim] = [dim if is_outer(dim, self.names) else read for dim, read in pairs]
        return self.node.reshape(elements, [rows, *own])
