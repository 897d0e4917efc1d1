"""accel-merge-steps: loops with short iterations are unrolled, with one wait for all copies of an
iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.dialects import accel
from mlc.passes.accel.common.copying_loops import CopyingLoop
from mlc.passes.base import Pass, PassError
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import constant_value
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import attributes_of, collect_ops, terminator_of

# Attribute of a loop that copies: the unroll factor.
MERGED = "accel.merged"


@dataclass(frozen=True)
class MergeSteps(Pass):
    """Unrolls a loop with `accel.merged = n` by n: an iteration copies for n of the old ones, into separate
    buffers, waits once, and computes one after another. n must divide the trip count.

    An iteration of the first layer of a convolutional network reduces the few channels at one position of its
    window, which takes less time than a barrier and the wait for a copy.
    """

    name: ClassVar[str] = "accel-merge-steps"

    def run(self, op: ir.Operation) -> bool:
        loops = [loop for loop in collect_ops(op, scf.For.NAME) if MERGED in loop.attributes]
        for loop in loops:
            with loop.location:
                merge(CopyingLoop(loop), _factor(loop))
            self.count("loops", help="loops unrolled before they wait")
        return bool(loops)


def _factor(loop: ir.Operation) -> int:
    """The unroll factor of a loop. Raises PassError unless it divides the trip count."""
    given = loop.attributes[MERGED]
    factor = given.value if isinstance(given, ir.IntegerAttr) else 0
    view = scf.For(loop)
    lower, upper, step = map(constant_value, (view.lower_bound, view.upper_bound, view.step))
    if lower is None or upper is None or step is None:
        raise PassError("steps are merged in loops whose bounds are constants", loop.location)
    count = max(0, -(-(upper - lower) // step))
    if factor < 1 or count % factor:
        raise PassError(f"{count} steps cannot be merged by {MERGED} = {given}", loop.location)
    return factor


def merge(copying: CopyingLoop, factor: int) -> None:
    """Replaces a loop by one that executes `factor` of its iterations in each iteration."""
    old, body = copying.loop, copying.body
    ops = [op.operation for op in body.operations]
    wait = ops.index(copying.wait)
    view = scf.For(old)
    lower, upper, step, initial = view.lower_bound, view.upper_bound, view.step, view.init_args
    size = constant_value(step)
    assert size is not None, "the bounds are constants"
    with ir.InsertionPoint(old):
        # A constant: split-K takes loops whose bounds are constants.
        loop = scf.ForOp(lower, upper, index(factor * size), initial)
    with ir.InsertionPoint(loop.body):
        counters = [_counter(loop.induction_variable, step, i) for i in range(factor)]
        steps = [
            {view.induction_variable: counter, **_clone_buffers(copying, i)}
            for i, counter in enumerate(counters)
        ]
        for values in steps:
            clone_ops(ops[:wait], values)
        tokens = [values[accel.Copy(copy).token] for values in steps for copy in copying.copies]
        ir.Operation.create(accel.Wait.NAME, [], tokens)
        carried = list(loop.inner_iter_args)
        for values in steps:
            values.update(zip(view.iteration_arguments, carried, strict=True))
            clone_ops(ops[wait + 1 : -1], values)
            carried = [values.get(operand, operand) for operand in terminator_of(body).operands]
        scf.YieldOp(carried)
    for name, attribute in attributes_of(old).items():
        if name != MERGED:
            loop.operation.attributes[name] = attribute
    for result, new in zip(old.results, loop.operation.results, strict=True):
        result.replace_all_uses_with(new)
    old.erase()


def _counter(first: ir.Value, step: ir.Value, iteration: int) -> ir.Value:
    """The induction variable of an iteration, of those that begin with `first`."""
    return arith.AddIOp(first, arith.MulIOp(step, index(iteration)).result).result if iteration else first


def _clone_buffers(copying: CopyingLoop, iteration: int) -> dict[ir.Value, ir.Value]:
    """Allocates buffers for an iteration; the first one has those of the loop."""
    if not iteration:
        return {}
    clones = {}
    for op in copying.allocs:
        alloc = accel.Alloc(op)
        with ir.InsertionPoint.after(alloc.operation):
            clones[alloc.memory] = accel.Alloc(alloc.operation.clone()).memory
    return clones
