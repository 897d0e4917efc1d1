"""Loops as operator functions build them: a body is a Python function of values, run to make its ops."""

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
from mlc.frontends.onnx.operators.control_flow.growing_stacks import Grown, LoopBody, Run
from mlc.frontends.onnx.operators.control_flow.region_results import (
    Left,
    is_outer,
    open_type,
    received,
    told_dims,
    vector_type,
)
from mlc.frontends.onnx.values import Dim, Value, from_ir


@dataclass(frozen=True)
class Rows:
    """How many rows stacks have: `count`, unless the condition changes inside (None: only running tells); or
    what the model declares of each (None: nothing)."""

    count: Dim | None
    declared: Sequence[Dim | None] = ()

    def of(self, place: int, steady: bool) -> Dim | None:
        """The rows of a stack; `steady`: the condition never changes inside."""
        declared = self.declared[place] if place < len(self.declared) else None
        if steady and (isinstance(self.count, int) or declared is None):
            return self.count
        return declared


def check_limit(count: int) -> None:
    """Raises `UnsupportedNodeError` for more values than enter or leave a body."""
    if count > CONTROL_LIMIT:
        raise UnsupportedNodeError(f"its body has {count} values, and at most {CONTROL_LIMIT} are supported")


def loop(
    node: Node, trips: Value, condition: Value, initial: Sequence[Value], body: LoopBody, rows: Rows
) -> list[Value]:
    """`graph.loop`; returns the carried values at the end, then the stacks. The body is imported again where
    it turns out that dims of carried values change.

    Raises `UnsupportedNodeError` for carried values whose rank or element type changes.
    """
    making = _Loop(node, trips, condition, initial, body)
    making.settle()
    stacks = making.stacks(rows)
    if None not in stacks:
        return making.finished([shape for shape in stacks if shape is not None])
    making.drop()
    scanned = making.run.scanned
    grown = {place: scanned[place] for place, shape in enumerate(stacks) if shape is None}
    inner = Grown(node, grown, initial, body, making.names)
    kept = [rows.of(place, making.steady) for place in range(len(stacks)) if place not in grown]
    values = loop(node, trips, condition, inner.initial(), inner.body, Rows(None, kept))
    return inner.results(values, len(initial))


class _Loop:
    """A loop in the making. `shapes` are the dims of the carried values, None for those that change."""

    def __init__(
        self, node: Node, trips: Value, condition: Value, initial: Sequence[Value], body: LoopBody
    ) -> None:
        self.node, self.trips, self.condition = node, trips, condition
        self.initial, self.body = initial, body
        self.shapes: list[Left] = [list(value.shape) for value in initial]
        self.names = node.names()

    def settle(self) -> None:
        """Imports the body, again and again until it is known which dims change."""
        self._fill()
        while changed := self._changed():
            for place, axis in changed:
                self.shapes[place][axis] = None
            self.drop()
            self._fill()

    def drop(self) -> None:
        """Forgets the body."""
        self.holder.erase()

    def _changed(self) -> list[tuple[int, int]]:
        """The dims of carried values that are not what they were at first."""
        triples = zip(self.initial, self.run.carried, self.shapes, strict=True)
        return [
            (place, axis)
            for place, (first, value, shape) in enumerate(triples)
            for axis in _differences(place, first, value, shape)
        ]

    def _operands(self) -> list[ir.Value]:
        values = [self.trips, self.condition, *self.initial, *self._told(self.initial)]
        check_limit(len(values))
        return [value.ir for value in values]

    def _kinds(self) -> list[ir.Type]:
        pairs = zip(self.shapes, self.initial, strict=True)
        return [*(open_type(shape, value.number) for shape, value in pairs), *vector_type(self.shapes)]

    def _told(self, values: Sequence[Value]) -> list[Value]:
        """The vector of the dims that change."""
        pairs = zip(values, self.shapes, strict=True)
        told = [dim for value, shape in pairs for dim in told_dims(value, shape)]
        return [self.node.sizes(told)] if told else []

    def _fill(self) -> None:
        node, operands = self.node, self._operands()
        with node.location:
            self.holder = graph.build_control("loop", operands, [])
            self.block = self.holder.regions[0].blocks[0]
            own = [element_types.tensor_type([], number) for number in (TensorProto.INT64, TensorProto.BOOL)]
            for kind in (*own, *self._kinds()):
                self.block.add_argument(kind, node.location)
            with ir.InsertionPoint(self.block):
                iteration, going, *carried = self.block.arguments
                scalars = [from_ir("", each, ()) for each in (iteration, going)]
                self.run = self._imported(scalars[0], scalars[1], received(node, carried, self.shapes))
                after = self.run.condition
                self.after = node.constant(np.asarray(True)) if after is None else after
                same = self.after.ir == going
        self.steady = same or bool(self.after.is_constant and np.all(self.after.known))

    def _imported(self, iteration: Value, going: Value, carried: list[Value]) -> Run:
        try:
            return self.body(iteration, going, carried)
        except Exception:
            # Whoever asked for the loop may try another body.
            self.drop()
            raise

    def stacks(self, rows: Rows) -> list[list[Dim] | None]:
        """The dims of the stacks; None where only running tells them."""
        found: list[list[Dim] | None] = []
        for place, value in enumerate(self.run.scanned):
            count = rows.of(place, self.steady)
            told = count is not None and all(is_outer(dim, self.names) for dim in value.shape)
            found.append([count, *value.shape] if told and count is not None else None)
        return found

    def finished(self, stacks: Sequence[list[Dim]]) -> list[Value]:
        """The op; what it gives."""
        node, run = self.node, self.run
        with node.location:
            with ir.InsertionPoint(self.block):
                yielded = [self.after, *run.carried, *self._told(run.carried), *run.scanned]
                check_limit(len(yielded))
                graph.build_yield([value.ir for value in yielded])
            kinds = self._kinds()
            count = len(kinds)
            pairs = zip(stacks, run.scanned, strict=True)
            kinds += [open_type(shape, value.number) for shape, value in pairs]
            made = graph.build_control("loop", self._operands(), kinds, [self.block])
            self.holder.erase()
        results = list(made.results)
        shapes: list[Left] = [list(shape) for shape in stacks]
        return [*received(node, results[:count], self.shapes), *received(node, results[count:], shapes)]


def _differences(place: int, first: Value, value: Value, shape: Left) -> list[int]:
    """The axes at which the next of a carried value is not what `shape` says."""
    if value.number != first.number or value.rank != first.rank:
        kinds = [f"rank {each.rank} of {element_types.type_name(each.number)}" for each in (first, value)]
        raise UnsupportedNodeError(
            f"its carried value {place} is of {kinds[0]} at first and then of {kinds[1]}"
        )
    pairs = enumerate(zip(shape, value.shape, strict=True))
    return [axis for axis, (dim, found) in pairs if dim is not None and dim != found]


def counted_loop(
    node: Node,
    count: Dim,
    initial: Sequence[Value],
    body: Callable[[Value, list[Value]], tuple[Sequence[Value], Sequence[Value]]],
) -> tuple[list[Value], list[Value]]:
    """A body that runs `count` times, from (iteration, carried values) to (next carried values, values to
    stack); returns the carried values at the end, and the stacks."""

    def run(iteration: Value, _: Value, carried: list[Value]) -> Run:
        return Run(None, *body(iteration, carried))

    trips = node.constant(np.int64(count)) if isinstance(count, int) else node.size(count)
    values = loop(node, trips, node.constant(np.asarray(True)), initial, run, Rows(count))
    return values[: len(initial)], values[len(initial) :]
