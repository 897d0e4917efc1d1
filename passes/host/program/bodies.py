"""Control flow of a host function on buffers: `scf` ops around launches.

Trip counts and conditions that are no constants are read from buffers. An `scf.if` and an `scf.while` have
the memory as results that control flow passes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, memref, scf
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.constants import i1, i64, index_constant, integer_constant
from mlc.passes.graph.common.values import splat
from mlc.passes.graph.control_flow.bodies import IF, body_of, yields
from mlc.passes.graph.control_flow.loop_rules import GraphLoop
from mlc.passes.host.common.scalars import build_while, read_index, read_scalar
from mlc.passes.host.memory.bodies import is_stored
from mlc.passes.host.memory.buffers import MovingRow, memref_of

if TYPE_CHECKING:
    from mlc.passes.host.program.rewriter import HostRewriter


class BodyBuilder:
    """Builds control flow for a host function's rewriter, which builds the bodies."""

    def __init__(self, host: HostRewriter) -> None:
        self.host = host
        # The index of the present iteration, by the body's argument.
        self.iterations: dict[ir.Value, ir.Value] = {}
        self.rows: dict[MovingRow, ir.Value] = {}

    def build(self, op: ir.Operation) -> None:
        """Builds `scf` ops at the insertion point for an `if` or a `loop`."""
        if op.name == IF:
            self.build_branches(op)
            return
        loop = GraphLoop(op)
        self.host.move_values(op)
        carried = self.host.take_passed(op)
        if is_steady(loop) and not carried:
            self.build_for(loop)
        else:
            self.build_while(loop, carried)

    def build_branches(self, op: ir.Operation) -> None:
        """Builds an `scf.if`."""
        types = [memref_of(value.type) for value in self.host.receivers(op.results)]
        made = scf.IfOp(read_scalar(graph.If(op).condition, self.host.buffer), types, has_else=True)
        for index, block in enumerate((made.then_block, made.else_block)):
            with self.inside(block):
                self.host.rewrite_all(body_of(op, index))
                scf.YieldOp(self.host.leave(body_of(op, index)))
        self.host.receive(op.results, made.results)

    def build_for(self, loop: GraphLoop) -> None:
        """Builds an `scf.for`, for a loop that ends at its trip count."""
        made = scf.ForOp(index_constant(0), self.trip_count(loop), index_constant(1))
        with self.inside(made.body):
            self.body(loop, made.induction_variable)
            scf.YieldOp([])

    def trip_count(self, loop: GraphLoop) -> ir.Value:
        """Returns the trip count, 0 if the condition does not hold at first."""
        view = graph.Loop(loop.op)
        trips, first = read_index(view.trip_count, self.host.buffer), splat(view.condition)
        if first is not None and first:
            return trips
        return arith.SelectOp(read_scalar(view.condition, self.host.buffer), trips, index_constant(0)).result

    def build_while(self, loop: GraphLoop, carried: Sequence[ir.Value]) -> None:
        """Builds an `scf.while`, for a loop whose body computes the condition, or that carries memory."""
        view = graph.Loop(loop.op)
        trips = read_index(view.trip_count, self.host.buffer)
        first = read_scalar(view.condition, self.host.buffer)
        made, after = build_while(trips, first, carried)
        with self.inside(after):
            index, _, *memory = after.arguments
            self.host.receive(loop.carried, memory)
            going, following = self.body(loop, index)
            next_index = arith.AddIOp(index, index_constant(1)).result
            scf.YieldOp([next_index, going, *following])
        self.host.receive(loop.op.results, list(made.results)[2:])

    def body(self, loop: GraphLoop, index: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
        """Builds the iteration `index`; returns whether there may be another, and the memory for it."""
        iteration, condition = list(loop.body.arguments)[:2]
        self.iterations[iteration] = index
        if is_stored(iteration):
            count = arith.IndexCastOp(i64(), index).result
            memref.StoreOp(count, self.host.buffer(iteration), [])
        if is_stored(condition):
            memref.StoreOp(integer_constant(i1(), True), self.host.buffer(condition), [])
        self.host.rewrite_all(loop.body)
        # Read before the carried values change.
        again = yields(loop.body)[0]
        going = integer_constant(i1(), True) if is_steady(loop) else read_scalar(again, self.host.buffer)
        return going, self.host.leave(loop.body)

    @contextmanager
    def inside(self, block: ir.Block) -> Iterator[None]:
        """Builds in a block; views and sizes that are built there are not used outside."""
        views, rows = dict(self.host.views), dict(self.rows)
        with ir.InsertionPoint(block), self.host.sizes.inside():
            yield
        self.host.views, self.rows = views, rows

    @contextmanager
    def unless_empty(self, rows: Sequence[MovingRow]) -> Iterator[None]:
        """Builds ops on rows; of a dynamic number of rows there may be none."""
        counts = [row.count for row in rows if isinstance(row.count, Size)]
        if not counts:
            yield
            return
        (count,) = map(self.host.sizes.of, counts)
        made = scf.IfOp(arith.CmpIOp(arith.CmpIPredicate.sgt, count, index_constant(0)).result)
        with self.inside(made.then_block):
            yield
            scf.YieldOp([])

    def row_offset(self, rows: Sequence[MovingRow], width: int, begin: int) -> ir.Value:
        """Returns the offset, in units of `width` bytes, of a part that begins `begin` units after `rows`."""
        offset = index_constant(begin)
        for row in rows:
            stride = self.host.sizes.of(row.size // width)
            offset = arith.AddIOp(offset, arith.MulIOp(self.row(row), stride).result).result
        return offset

    def row(self, row: MovingRow) -> ir.Value:
        """Returns the index of a row."""
        if row not in self.rows:
            index = self.iterations[row.iteration]
            if row.step < 0:
                index = arith.SubIOp(index_constant(row.first), index).result
            elif row.first:
                index = arith.AddIOp(index_constant(row.first), index).result
            last = self.host.sizes.of(row.count - 1)
            self.rows[row] = arith.MinUIOp(index, last).result
        return self.rows[row]


def is_steady(loop: GraphLoop) -> bool:
    """Whether a loop's condition, once it holds, holds to the end."""
    again = yields(loop.body)[0]
    constant = splat(again)
    return again == loop.body.arguments[1] or (constant is not None and bool(constant))
