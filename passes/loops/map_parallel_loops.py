"""tloop-map-parallel-loops: parallel loops run on threads, or on one thread if they have few iterations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, run_upstream, scf
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant
from mlc.passes.common.kernel_functions import LEAST_ITERATIONS, ONE_THREAD, is_kernel
from mlc.passes.common.rewriting import collect_ops


def run_few_on_one_thread(loop: ir.Operation, least: int) -> None:
    """Clones an `scf.forall` as sequential loops, which run instead of it if there are fewer than `least`
    iterations."""
    with ir.InsertionPoint(loop), loop.location:
        bounds = _bounds(loop)
        total: ir.Value | None = None
        for begin, end, step in bounds:
            count = arith.ceildivsi(arith.subi(end, begin), step)
            total = count if total is None else arith.muli(total, count)
        assert total is not None, "a loop has a dim"
        few = arith.cmpi(arith.CmpIPredicate.slt, total, index_constant(least))
        choice = scf.IfOp(few, has_else=True)
    with ir.InsertionPoint(choice.then_block), loop.location:
        _sequential(loop, bounds)
        scf.YieldOp([])
    with ir.InsertionPoint(choice.else_block), loop.location:
        end_of_else = scf.YieldOp([])
    loop.move_before(end_of_else.operation)


def _bounds(loop: ir.Operation) -> list[tuple[ir.Value, ir.Value, ir.Value]]:
    """Returns begin, end and step of each dim as values."""
    forall = scf.Forall(loop)
    static = (forall.static_lower_bound, forall.static_upper_bound, forall.static_step)
    unknown, given = ir.ShapedType.get_dynamic_size(), iter(loop.operands)
    columns = [
        [next(given) if bound == unknown else index_constant(bound) for bound in bounds] for bounds in static
    ]
    return list(zip(*columns, strict=True))


def _sequential(loop: ir.Operation, bounds: Sequence[tuple[ir.Value, ir.Value, ir.Value]]) -> None:
    """Builds the iterations as sequential loops at the insertion point."""
    body = loop.regions[0].blocks[0]
    values: dict[ir.Value, ir.Value] = {}
    with ExitStack() as nests:
        for index, (begin, end, step) in zip(body.arguments, bounds, strict=True):
            nest = scf.ForOp(begin, end, step)
            values[index] = nest.induction_variable
            with ir.InsertionPoint(nest.body):
                last = scf.YieldOp([]).operation
            nests.enter_context(ir.InsertionPoint(last))
        clone_ops([op.operation for op in body.operations][:-1], values)


@dataclass(frozen=True)
class MapParallelLoops(Pass):
    """Turn `scf.forall` into `scf.parallel`, which becomes a parallel region, or into `scf.for` in kernels
    marked `tloop.one_thread`.

    In kernels marked `tloop.least_iterations`, whose trip counts are dynamic, loops with fewer iterations run
    on one thread.
    """

    name: ClassVar[str] = "tloop-map-parallel-loops"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        loops = collect_ops(op, scf.Forall.NAME) if is_kernel(op) else []
        if not loops:
            return False
        if LEAST_ITERATIONS in op.attributes:
            for loop in loops:
                run_few_on_one_thread(loop, op.attributes[LEAST_ITERATIONS].value)
        target = "for" if ONE_THREAD in op.attributes else "parallel"
        run_upstream(f"func.func(scf-forall-to-{target})", op)
        return True
