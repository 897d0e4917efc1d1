"""Control flow of a host function on buffers: `scf` ops around launches.

Numbers of iterations and conditions are read from buffers where no constant says them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, memref, scf
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.values import splat
from mlc.passes.graph.control_flow.bodies import IF, body_of, yields
from mlc.passes.graph.control_flow.loop_rules import Loop
from mlc.passes.host.common.scalars import index_held, scalar_held
from mlc.passes.host.memory.bodies import is_stored
from mlc.passes.host.memory.buffers import Row

if TYPE_CHECKING:
    from mlc.passes.host.buffers import HostRewriter


class BodyBuilder:
    """Builds control flow for a host function's rewriter, which builds what is in the bodies."""

    def __init__(self, host: HostRewriter) -> None:
        self.host = host
        # The number of the present run, by the body's argument.
        self.iterations: dict[ir.Value, ir.Value] = {}
        self.rows: dict[Row, ir.Value] = {}

    def build(self, op: ir.Operation) -> None:
        """`scf` ops at the insertion point for an `if` or a `loop`."""
        if op.name == IF:
            self.branches(op)
            return
        loop = Loop(op)
        self.host.move_values(op)
        if is_steady(loop):
            self.counted(loop)
        else:
            self.conditional(loop)

    def branches(self, op: ir.Operation) -> None:
        made = scf.IfOp(self.scalar(op.operands[0]), has_else=True)
        for place, block in enumerate((made.then_block, made.else_block)):
            with self.inside(block):
                self.host.rewrite_all(body_of(op, place))
                self.host.move_values(terminator_of(body_of(op, place)))
                scf.YieldOp([])

    def counted(self, loop: Loop) -> None:
        """A loop of which nothing but its number of runs says when it ends."""
        made = scf.ForOp(index_constant(0), self.runs(loop), index_constant(1))
        with self.inside(made.body):
            self.body(loop, made.induction_variable)
            scf.YieldOp([])

    def runs(self, loop: Loop) -> ir.Value:
        """The number of runs, 0 where the condition does not hold at first."""
        trips, first = self.number(loop.op.operands[0]), splat(loop.op.operands[1])
        if first is not None and first:
            return trips
        return arith.SelectOp(self.scalar(loop.op.operands[1]), trips, index_constant(0)).result

    def conditional(self, loop: Loop) -> None:
        """A loop whose body says whether it runs again."""
        trips, first = self.number(loop.op.operands[0]), self.scalar(loop.op.operands[1])
        kinds = [ir.IndexType.get(), ir.IntegerType.get_signless(1)]
        made = scf.WhileOp(kinds, [index_constant(0), first])
        before, after = made.before.blocks.append(*kinds), made.after.blocks.append(*kinds)
        with ir.InsertionPoint(before):
            number, going = before.arguments
            less = arith.CmpIOp(arith.CmpIPredicate.slt, number, trips).result
            scf.ConditionOp(arith.AndIOp(less, going).result, before.arguments)
        with self.inside(after):
            number = after.arguments[0]
            going = self.body(loop, number)
            following = arith.AddIOp(number, index_constant(1)).result
            scf.YieldOp([following, going])

    def body(self, loop: Loop, number: ir.Value) -> ir.Value:
        """One run; whether there may be another."""
        iteration, condition = list(loop.body.arguments)[:2]
        self.iterations[iteration] = number
        if is_stored(iteration):
            count = arith.IndexCastOp(ir.IntegerType.get_signless(64), number).result
            memref.StoreOp(count, self.host.buffer(iteration), [])
        if is_stored(condition):
            memref.StoreOp(self.truth(True), self.host.buffer(condition), [])
        self.host.rewrite_all(loop.body)
        # Before what is carried changes.
        again = yields(loop.body)[0]
        going = self.truth(True) if is_steady(loop) else self.scalar(again)
        self.host.move_values(terminator_of(loop.body))
        return going

    @contextmanager
    def inside(self, block: ir.Block) -> Iterator[None]:
        """Builds in a block; views that are made there are for nobody outside."""
        views, rows = dict(self.host.views), dict(self.rows)
        with ir.InsertionPoint(block):
            yield
        self.host.views, self.rows = views, rows

    def scalar(self, value: ir.Value) -> ir.Value:
        return scalar_held(value, self.host.buffer)

    def number(self, value: ir.Value) -> ir.Value:
        return index_held(value, self.host.buffer)

    def truth(self, value: bool) -> ir.Value:
        kind = ir.IntegerType.get_signless(1)
        return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, value)).result

    def moved(self, rows: Sequence[Row], width: int, begin: int) -> ir.Value:
        """The place of a part that lies in rows, `begin` behind that, counted in `width` bytes."""
        place = index_constant(begin)
        for row in rows:
            stride = index_constant(row.size // width)
            place = arith.AddIOp(place, arith.MulIOp(self.row(row), stride).result).result
        return place

    def row(self, row: Row) -> ir.Value:
        """The number of a row."""
        if row not in self.rows:
            number = self.iterations[row.iteration]
            if row.step < 0:
                number = arith.SubIOp(index_constant(row.first), number).result
            elif row.first:
                number = arith.AddIOp(index_constant(row.first), number).result
            last = index_constant(row.count - 1)
            self.rows[row] = arith.MinUIOp(number, last).result
        return self.rows[row]


def is_steady(loop: Loop) -> bool:
    """Whether a loop's condition, once it holds, holds to the end."""
    again = yields(loop.body)[0]
    constant = splat(again)
    return again == loop.body.arguments[1] or (constant is not None and bool(constant))
