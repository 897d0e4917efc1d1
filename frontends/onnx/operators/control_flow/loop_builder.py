"""Construction of loops by operator functions: a body is a Python function of values that builds its ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.ops.control import CONTROL_LIMIT
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, UnsupportedNodeError
from mlc.frontends.onnx.operators.control_flow.growing_stacks import BodyResults, GrowingStacks, LoopBody
from mlc.frontends.onnx.operators.control_flow.region_results import (
    YieldedDims,
    bind_results,
    dynamic_dims,
    is_outer,
    open_type,
    vector_type,
)
from mlc.frontends.onnx.values import Dim, Value, from_ir


@dataclass(frozen=True)
class RowCount:
    """The number of rows of stacks.

    It is `count`, unless the condition changes inside the loop (None: dynamic); or the dim that the model
    declares for each stack (None: none).
    """

    count: Dim | None
    declared: Sequence[Dim | None] = ()

    def of(self, index: int, steady: bool) -> Dim | None:
        """Returns the rows of a stack; `steady`: the condition never changes inside."""
        declared = self.declared[index] if index < len(self.declared) else None
        if steady and (isinstance(self.count, int) or declared is None):
            return self.count
        return declared


def check_limit(count: int) -> None:
    """Raises `UnsupportedNodeError` for more values than can enter or leave a body."""
    if count > CONTROL_LIMIT:
        raise UnsupportedNodeError(f"its body has {count} values, and at most {CONTROL_LIMIT} are supported")


def loop(
    node: Node, trips: Value, condition: Value, initial: Sequence[Value], body: LoopBody, rows: RowCount
) -> list[Value]:
    """Builds `graph.loop`; returns the final carried values, then the stacks.

    The body is imported again where dims of carried values change. Raises `UnsupportedNodeError` for carried
    values whose rank or element type changes.
    """
    making = _Loop(node, trips, condition, initial, body)
    making.settle()
    stacks = making.stacks(rows)
    if None not in stacks:
        return making.finish([shape for shape in stacks if shape is not None])
    making.drop()
    scanned = making.run.scanned
    grown = {index: scanned[index] for index, shape in enumerate(stacks) if shape is None}
    inner = GrowingStacks(node, grown, initial, body, making.names)
    kept = [rows.of(index, making.steady) for index in range(len(stacks)) if index not in grown]
    values = loop(node, trips, condition, inner.initial(), inner.body, RowCount(None, kept))
    return inner.results(values, len(initial))


class _Loop:
    """A loop under construction. `shapes` are the dims of the carried values, None for those that change."""

    def __init__(
        self, node: Node, trips: Value, condition: Value, initial: Sequence[Value], body: LoopBody
    ) -> None:
        self.node, self.trips, self.condition = node, trips, condition
        self.initial, self.body = initial, body
        self.shapes: list[YieldedDims] = [list(value.shape) for value in initial]
        self.names = node.names()

    def settle(self) -> None:
        """Imports the body repeatedly until the set of changing dims is stable."""
        self._fill()
        while changed := self._changed_dims():
            for index, axis in changed:
                self.shapes[index][axis] = None
            self.drop()
            self._fill()

    def drop(self) -> None:
        """Erases the body."""
        self.holder.erase()

    def _changed_dims(self) -> list[tuple[int, int]]:
        """Returns the dims of carried values that differ from the initial ones, as (value, axis)."""
        triples = zip(self.initial, self.run.carried, self.shapes, strict=True)
        return [
            (index, axis)
            for index, (first, value, shape) in enumerate(triples)
            for axis in _differences(index, first, value, shape)
        ]

    def _operands(self) -> list[ir.Value]:
        values = [self.trips, self.condition, *self.initial, *self._dims_vector(self.initial)]
        check_limit(len(values))
        return [value.ir for value in values]

    def _carried_types(self) -> list[ir.Type]:
        pairs = zip(self.shapes, self.initial, strict=True)
        return [*(open_type(shape, value.onnx_type) for shape, value in pairs), *vector_type(self.shapes)]

    def _dims_vector(self, values: Sequence[Value]) -> list[Value]:
        """Returns the vector of the changing dims; none where there are none."""
        pairs = zip(values, self.shapes, strict=True)
        dims = [dim for value, shape in pairs for dim in dynamic_dims(value, shape)]
        return [self.node.sizes(dims)] if dims else []

    def _fill(self) -> None:
        node, operands = self.node, self._operands()
        with node.location:
            self.holder = graph.build_control("loop", operands, [])
            self.block = self.holder.regions[0].blocks[0]
            own = [
                element_types.tensor_type([], onnx_type)
                for onnx_type in (TensorProto.INT64, TensorProto.BOOL)
            ]
            for argument_type in (*own, *self._carried_types()):
                self.block.add_argument(argument_type, node.location)
            with ir.InsertionPoint(self.block):
                iteration, going, *carried = self.block.arguments
                scalars = [from_ir("", argument, ()) for argument in (iteration, going)]
                self.run = self._import_body(scalars[0], scalars[1], bind_results(node, carried, self.shapes))
                after = self.run.condition
                self.after = node.constant(np.asarray(True)) if after is None else after
                same = self.after.ir == going
        self.steady = same or bool(self.after.is_constant and np.all(self.after.known))

    def _import_body(self, iteration: Value, going: Value, carried: list[Value]) -> BodyResults:
        try:
            return self.body(iteration, going, carried)
        except Exception:
            # The caller may try another body.
            self.drop()
            raise

    def stacks(self, rows: RowCount) -> list[list[Dim] | None]:
        """Returns the dims of the stacks; None for a stack with dynamic ones."""
        found: list[list[Dim] | None] = []
        for index, value in enumerate(self.run.scanned):
            count = rows.of(index, self.steady)
            is_known = count is not None and all(is_outer(dim, self.names) for dim in value.shape)
            found.append([count, *value.shape] if is_known and count is not None else None)
        return found

    def finish(self, stacks: Sequence[list[Dim]]) -> list[Value]:
        """Builds the op; returns its results."""
        node, run = self.node, self.run
        with node.location:
            with ir.InsertionPoint(self.block):
                yielded = [self.after, *run.carried, *self._dims_vector(run.carried), *run.scanned]
                check_limit(len(yielded))
                graph.build_yield([value.ir for value in yielded])
            result_types = self._carried_types()
            count = len(result_types)
            pairs = zip(stacks, run.scanned, strict=True)
            result_types += [open_type(shape, value.onnx_type) for shape, value in pairs]
            made = graph.build_control("loop", self._operands(), result_types, [self.block])
            self.holder.erase()
        results = list(made.results)
        shapes: list[YieldedDims] = [list(shape) for shape in stacks]
        return [
            *bind_results(node, results[:count], self.shapes),
            *bind_results(node, results[count:], shapes),
        ]


def _differences(index: int, first: Value, value: Value, shape: YieldedDims) -> list[int]:
    """Returns the axes at which the next carried value differs from `shape`.

    Raises UnsupportedNodeError where its rank or element type differs.
    """
    if value.onnx_type != first.onnx_type or value.rank != first.rank:
        descriptions = [
            f"rank {held.rank} of {element_types.type_name(held.onnx_type)}" for held in (first, value)
        ]
        raise UnsupportedNodeError(
            f"its carried value {index} is of {descriptions[0]} at first and then of {descriptions[1]}"
        )
    pairs = enumerate(zip(shape, value.shape, strict=True))
    return [axis for axis, (dim, found) in pairs if dim is not None and dim != found]


def counted_loop(
    node: Node,
    count: Dim,
    initial: Sequence[Value],
    body: Callable[[Value, list[Value]], tuple[Sequence[Value], Sequence[Value]]],
) -> tuple[list[Value], list[Value]]:
    """Builds a loop of trip count `count` whose body maps (iteration, carried values) to (next carried
    values, values to stack).

    Returns the final carried values and the stacks.
    """

    def run(iteration: Value, _: Value, carried: list[Value]) -> BodyResults:
        """Runs the body without a condition."""
        return BodyResults(None, *body(iteration, carried))

    trips = node.constant(np.int64(count)) if isinstance(count, int) else node.size(count)
    values = loop(node, trips, node.constant(np.asarray(True)), initial, run, RowCount(count))
    return values[: len(initial)], values[len(initial) :]
