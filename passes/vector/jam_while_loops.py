"""tloop-jam-while-loops: iterations whose bodies are a `scf.while` run their while loops at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from mlc.bindings import address, arith, ir, llvm, scf
from mlc.passes.base import Pass, PassError
from mlc.passes.common.cloning import clone_body, clone_ops
from mlc.passes.common.constants import constant_value, i1, index_constant
from mlc.passes.common.rewriting import collect_ops, defining_op
from mlc.passes.options import option
from mlc.passes.vector.hoist_loads import READS, buffer_of, buffers_written, may_overlap
from mlc.passes.vector.while_lanes import Lanes, match_lanes


@dataclass(frozen=True)
class Jam:
    """A loop from 0 in steps of 1 around one while loop."""

    loop: scf.For
    lanes: Lanes
    # The ops on which the while loop depends, and the others of the body, which may follow it.
    before: Sequence[ir.Operation]
    after: Sequence[ir.Operation]

    def build(self, first: ir.Value, count: int) -> None:
        """Builds `count` iterations, which start at `first`, at the insertion point."""
        lanes: list[dict[ir.Value, ir.Value]] = []
        for lane in range(count):
            index = arith.addi(first, index_constant(lane)) if lane else first
            lanes.append({self.loop.induction_variable: index})
            clone_ops(self.before, lanes[-1])
        build_while(self.lanes, lanes)
        for values in lanes:
            clone_ops(self.after, values)


def match_jam(op: ir.Operation) -> Jam | None:
    """Returns how the iterations of a `scf.for` are jammed; None if they depend on each other, or cannot be
    executed after their while loops have ended."""
    loop = scf.For(op)
    body = [inner.operation for inner in op.regions[0].blocks[0]][:-1]
    loops = [inner for inner in body if len(inner.regions)]
    if not _counts_up(loop) or [one.name for one in loops] != [scf.While.NAME]:
        return None
    lanes, written = match_lanes(scf.While(loops[0]), op), buffers_written(op)
    if lanes is None or written is None:
        return None
    needed = _backward_slice(loops[0], body)
    reads = [*collect_ops(loops[0], READS), *(one for one in needed if one.name in READS)]
    sources = [buffer_of(read.operands[0]) for read in reads]
    if any(may_overlap(source, buffer) for source in sources for buffer in written):
        return None
    rest = [one for one in body if one != loops[0] and one not in needed]
    return Jam(loop, lanes, needed, rest)


def _counts_up(loop: scf.For) -> bool:
    """Whether a loop carries no values, and counts from 0 in steps of 1 to a signed index, not known to
    leave no iteration."""
    bounds = constant_value(loop.lower_bound), constant_value(loop.step)
    if loop.init_args or bounds != (0, 1) or "unsignedCmp" in loop.operation.attributes:
        return False
    upper = constant_value(loop.upper_bound)
    return isinstance(loop.upper_bound.type, ir.IndexType) and (upper is None or upper > 0)


def _backward_slice(root: ir.Operation, body: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Returns the ops of `body` that `root` and the ops inside it use, directly or not, in their order."""
    found = set()
    pending = [root, *collect_ops(root)]
    own = {address(op): op for op in body}
    while pending:
        for operand in pending.pop().operands:
            op = defining_op(operand)
            if op is not None and address(op) in own and address(op) not in found:
                found.add(address(op))
                pending.append(op)
    return [op for op in body if address(op) in found]


def build_while(lanes: Lanes, values: Sequence[dict[ir.Value, ir.Value]]) -> None:
    """Builds one while loop for the while loops of all `values`, to which it adds its results. It goes on as
    long as one of them does; the others keep what they carry, by masks unless their steps change nothing."""
    loop, count = lanes.loop, len(values)
    inits = lanes.flatten([[one.get(init, init) for init in loop.inits] for one in values])
    types, masks = [init.type for init in inits], [] if lanes.settles else [i1()] * count
    made = scf.WhileOp([*types, *masks], inits)
    _build_condition(lanes, values, made.before.blocks.append(*types))
    _build_step(lanes, values, made.after.blocks.append(*types, *masks))
    ends = lanes.unflatten(list(made.results)[: len(types)], count)
    for one, own in zip(values, ends, strict=True):
        one.update(zip(loop.results, own, strict=True))


def _build_condition(lanes: Lanes, values: Sequence[dict[ir.Value, ir.Value]], block: ir.Block) -> None:
    """Builds the block before the body, which passes on which lanes have not ended."""
    body, active = lanes.loop.before.blocks[0], []
    with ir.InsertionPoint(block):
        inner: dict[ir.Value, ir.Value] = {}
        for one, own in zip(values, lanes.unflatten(list(block.arguments), len(values)), strict=True):
            inner = {**one, **dict(zip(body.arguments, own, strict=True))}
            clone_body(body, inner)
            active.append(inner.get(lanes.varies, lanes.varies))
        goes_on = reduce(arith.ori, active)
        if lanes.invariant is not None:
            goes_on = arith.andi(goes_on, inner.get(lanes.invariant, lanes.invariant))
        scf.ConditionOp(goes_on, [*block.arguments, *([] if lanes.settles else active)])


def _build_step(lanes: Lanes, values: Sequence[dict[ir.Value, ir.Value]], block: ir.Block) -> None:
    """Builds the body, with a step of each lane that has not ended."""
    body, count, following = lanes.loop.after.blocks[0], len(values), []
    masks = [None] * count if lanes.settles else list(block.arguments)[-count:]
    carried = lanes.unflatten(list(block.arguments), count)
    with ir.InsertionPoint(block):
        for one, own, mask in zip(values, carried, masks, strict=True):
            new = clone_body(body, {**one, **dict(zip(body.arguments, own, strict=True))})
            steps = zip(new, own, lanes.uniform, strict=True)
            following.append([value if same else _select(mask, value, old) for value, old, same in steps])
        scf.YieldOp(lanes.flatten(following))


def _select(mask: ir.Value | None, value: ir.Value, old: ir.Value) -> ir.Value:
    """Builds a select, if there is a mask. Without `freeze` LLVM branches around a load that is the operand
    of one, and each lane mispredicts."""
    return value if mask is None else arith.select(mask, llvm.FreezeOp(value).result, old)


def jam(found: Jam, count: int) -> None:
    """Replaces a loop by one of `count` iterations at a time, and one of the remaining iterations."""
    loop, upper = found.loop, constant_value(found.loop.upper_bound)
    if upper is not None:
        # Ten iterations are five and five: the latency of two would be as long as that of eight.
        count = -(-upper // -(-upper // count))
    with ir.InsertionPoint(loop.operation), loop.operation.location:
        if upper is None:
            # The signed remainder: without iterations the bound may be negative, and so must not be `end`.
            end = arith.subi(loop.upper_bound, arith.remsi(loop.upper_bound, index_constant(count)))
        else:
            end = index_constant(upper - upper % count)
        if upper is None or upper >= count:
            made = scf.ForOp(loop.lower_bound, end, index_constant(count))
            with ir.InsertionPoint(made.body):
                found.build(made.induction_variable, count)
                scf.YieldOp([])
        if upper is None:
            loop.lower_bound = end
            return
        if upper % count:
            found.build(end, upper % count)
    loop.operation.erase()


@dataclass(frozen=True)
class JamWhileLoops(Pass):
    """Run the while loops of several iterations of a loop as one, whose loads are independent.

    A walk down a tree waits for a load at each step, and the processor mispredicts where it ends. The loop
    goes on until all walks have ended; those that have keep their values, so that the ops in a while loop
    must be defined for any of them, also where a while loop has no iteration: indices of loads are clamped to
    constants, or are those of other loops, which a kernel's buffers have. Loops with `tloop.settles` need
    neither: their steps may be executed after their ends, and then change nothing.
    """

    name: ClassVar[str] = "tloop-jam-while-loops"
    anchor: ClassVar[str] = "func.func"
    # Chains that hide the latency of loads from the L1 cache; their state fits the registers.
    iterations: int = option(8, help="iterations at the same time")

    def run(self, op: ir.Operation) -> None:
        if self.iterations < 1:
            raise PassError(f"iterations is {self.iterations}, expected at least 1", op.location)
        for loop in collect_ops(op, scf.For.NAME):
            found = match_jam(loop)
            if found is not None:
                jam(found, self.iterations)
