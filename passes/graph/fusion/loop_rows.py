"""Rows that a loop's body gathers by its iteration: parts of a buffer, for which no kernel is needed."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.tloop import RowOp
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops, defining_op, replace_op
from mlc.passes.graph.common.values import both_orders, erase_dead, is_static, splat
from mlc.passes.graph.common.views import view_source, viewed_buffer
from mlc.passes.graph.control_flow.bodies import LOOP
from mlc.passes.graph.control_flow.loop_rules import GraphLoop


@dataclass(frozen=True)
class Index:
    """`first + step * iteration`."""

    iteration: ir.Value
    first: int
    step: int


def loop_of(value: ir.Value) -> GraphLoop | None:
    """The loop of which the value is the iteration."""
    owner = value.owner
    if not isinstance(owner, ir.Block) or value.arg_number != 0:
        return None
    op = owner.owner.operation
    return GraphLoop(op) if op.name == LOOP else None


def index_of(value: ir.Value, rows: int) -> Index | None:
    """The index of one of a number of rows as it follows from an iteration, never less than 0 and not beyond
    the last row; None for others. Numbers of rows below 0 count from the end, so that they must be known to
    be none."""
    value = view_source(value)
    if loop_of(value) is not None:
        return Index(value, 0, 1)
    op = defining_op(value)
    if op is not None and op.name == graph.Sub.NAME:
        first, iteration = splat(graph.Sub(op).a), view_source(graph.Sub(op).b)
        loop = loop_of(iteration)
        runs = None if loop is None else loop.most_runs()
        if first is not None and runs is not None and runs - 1 <= first < rows:
            return Index(iteration, int(first), -1)
    for iteration, constant in both_orders(op) if op is not None and op.name == graph.Add.NAME else []:
        first = splat(constant)
        if first is not None and first >= 0 and loop_of(view_source(iteration)) is not None:
            return Index(view_source(iteration), int(first), 1)
    return None


def take_row(op: ir.Operation) -> None:
    """Makes a `tloop.row` of a `graph.gather` of one row by an iteration; small constants, which are stored
    in kernels, have no rows to point to."""
    data, indices = op.operands
    in_kernels = defining_op(viewed_buffer(data), graph.Constant.NAME) is not None
    if in_kernels or graph.attribute(op, "axis") != 0 or not (is_static(data) and is_static(indices)):
        return
    index = index_of(indices, graph.shape_of(data)[0]) if prod(graph.shape_of(indices)) == 1 else None
    if index is None:
        return
    count = i64()
    first, step = (ir.IntegerAttr.get(count, value) for value in (index.first, index.step))
    made = defining_op(indices)
    with ir.InsertionPoint(op), op.location:
        row = RowOp(first, step, data, index.iteration, op.results[0].type)
    replace_op(op, row.row)
    erase_dead([] if made is None else [made])


def take_rows(function: ir.Operation) -> None:
    """Makes rows of all gathers that are such."""
    for op in collect_ops(function, graph.Gather.NAME):
        take_row(op)
