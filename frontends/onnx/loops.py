"""Loops as operator functions build them: a body is a Python function of values, run once to make its ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.control import CONTROL_LIMIT
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.values import Value, from_ir
from onnx import TensorProto


@dataclass(frozen=True)
class Run:
    """What one run of a body gives: whether there may be another (None: yes), the next carried values, and
    those to stack."""

    condition: Value | None
    carried: Sequence[Value]
    scanned: Sequence[Value]


# The iteration, the condition and the carried values -> what the body gives.
LoopBody = Callable[[Value, Value, list[Value]], Run]


def check_limit(count: int) -> None:
    """Raises `Unsupported` for more values than enter or leave a body."""
    if count > CONTROL_LIMIT:
        raise Unsupported(f"its body has {count} values, and at most {CONTROL_LIMIT} are supported")


def loop(
    node: Node,
    trips: Value,
    condition: Value,
    initial: Sequence[Value],
    body: LoopBody,
    rows: Callable[[int, bool], int],
) -> list[Value]:
    """`graph.loop`; returns the carried values at the end, then the stacks.

    `rows(k, steady)` says how many rows stack k has; `steady`: the condition never changes inside. Raises
    `Unsupported` for carried values whose types change.
    """
    kinds = [node.type_of(node.shape(value), value.number) for value in initial]
    operands = [trips.ir, condition.ir, *(value.ir for value in initial)]
    check_limit(len(operands))
    with node.location:
        holder = graph.build_control("loop", operands, [])
        block = holder.regions[0].blocks[0]
        scalars = [types.tensor_type([], number) for number in (TensorProto.INT64, TensorProto.BOOL)]
        for kind in (*scalars, *kinds):
            block.add_argument(kind, node.location)
        with ir.InsertionPoint(block):
            iteration, going, *carried = (from_ir("", each, _dims(each.type)) for each in block.arguments)
            run = body(iteration, going, carried)
            _check_carried(kinds, run.carried)
            after = node.constant(np.asarray(True)) if run.condition is None else run.condition
            yielded = [after.ir, *(value.ir for value in (*run.carried, *run.scanned))]
            check_limit(len(yielded))
            graph.build_yield(yielded)
        steady = after.ir == block.arguments[1] or bool(after.is_constant and np.all(after.known))
        stacks = [
            node.type_of([rows(place, steady), *node.shape(value)], value.number)
            for place, value in enumerate(run.scanned)
        ]
        made = graph.build_control("loop", operands, [*kinds, *stacks], [block])
        holder.erase()
    return [from_ir("", result, _dims(result.type)) for result in made.results]


def _dims(kind: ir.Type) -> tuple[int, ...]:
    return tuple(ir.RankedTensorType(kind).shape)


def _check_carried(kinds: Sequence[ir.Type], carried: Sequence[Value]) -> None:
    for place, (kind, value) in enumerate(zip(kinds, carried, strict=True)):
        if value.ir.type != kind:
            raise Unsupported(
                f"its carried value {place} is {kind} at first and then {value.ir.type}; only values of one "
                "shape are supported"
            )


def counted_loop(
    node: Node,
    count: int,
    initial: Sequence[Value],
    body: Callable[[Value, list[Value]], tuple[Sequence[Value], Sequence[Value]]],
) -> tuple[list[Value], list[Value]]:
    """A body that runs `count` times, from (iteration, carried values) to (next carried values, values to
    stack); returns the carried values at the end, and the stacks."""

    def run(iteration: Value, _: Value, carried: list[Value]) -> Run:
        return Run(None, *body(iteration, carried))

    trips, always = node.constant(np.int64(count)), node.constant(np.asarray(True))
    values = loop(node, trips, always, initial, run, lambda place, steady: count)
    return values[: len(initial)], values[len(initial) :]


def row(node: Node, x: Value, iteration: Value, backwards: bool = False) -> Value:
    """The part of x that an iteration reads: its part number `iteration` along the first dim, counted from
    the end if `backwards`."""
    if backwards:
        last = node.constant(np.int64(node.shape(x)[0] - 1))
        iteration = node.emit("sub", last, iteration)
    return node.emit("gather", x, iteration, axis=0)


def reversed_rows(node: Node, x: Value) -> Value:
    """x with its first dim in reverse."""
    sizes = node.shape(x)
    starts, steps = [0] * len(sizes), [1] * len(sizes)
    starts[0], steps[0] = sizes[0] - 1, -1
    return node.emit("slice", x, starts=starts, sizes=sizes, steps=steps)


def axis_first(node: Node, x: Value, axis: int) -> Value:
    """x with one dim moved to the front."""
    order = [axis, *(each for each in range(x.rank) if each != axis)]
    return x if axis == 0 else node.emit("transpose", x, permutation=order)


def axis_back(node: Node, x: Value, axis: int) -> Value:
    """x with its first dim moved to place `axis`."""
    order = [*range(1, x.rank)]
    order.insert(axis, 0)
    return x if axis == 0 else node.emit("transpose", x, permutation=order)
