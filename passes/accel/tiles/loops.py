"""Loops within a block: they carry tiles as vectors, and write results part by part to their destinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir, scf, tensor
from mlc.passes.accel.tiles.block_order import delinearize
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import (
    Index,
    Representation,
    SharedTile,
    Slice,
    VectorTile,
    add,
    as_value,
    multiply,
)
from mlc.passes.base import PassError
from mlc.passes.common.constants import constant_value

# The prefix of attributes that control how a GPU executes a loop.
_PREFIX = "accel."
# Ops allowed between two loops that are merged: they are invariant in the inner one.
_BETWEEN = ("affine.", "arith.", tensor.ExtractSlice.NAME, tensor.InsertSlice.NAME)


@dataclass(frozen=True)
class LoopNest:
    """Perfectly nested loops, outermost first."""

    loops: list[ir.Operation]

    @property
    def counts(self) -> list[int] | None:
        """Trip counts of the loops; None if they are dynamic."""
        counts = []
        for loop in map(scf.For, self.loops):
            lower, upper, step = map(constant_value, (loop.lower_bound, loop.upper_bound, loop.step))
            if lower is None or upper is None or step is None:
                return None
            counts.append(max(0, -(-(upper - lower) // step)))
        return counts


def nest_of(op: ir.Operation) -> LoopNest:
    """Returns a loop and those perfectly nested in it, which carry the same values."""
    loops = [op]
    while (inner := _only_loop(loops[-1])) is not None:
        loops.append(inner)
    while LoopNest(loops).counts is None and len(loops) > 1:
        loops.pop()
    return LoopNest(loops)


def _only_loop(op: ir.Operation) -> ir.Operation | None:
    loop = scf.For(op)
    ops = [inner.operation for inner in loop.entry_block.operations][:-1]
    loops = [scf.For(inner) for inner in ops if scf.For.isa(inner)]
    if len(loops) != 1 or not all(scf.For.isa(inner) or inner.name.startswith(_BETWEEN) for inner in ops):
        return None
    given = [_source(value, tensor.ExtractSlice) for value in loops[0].init_args]
    yielded = [_source(value, tensor.InsertSlice) for value in loop.terminator.operands]
    carries_same = given == loop.iteration_arguments and yielded == loops[0].results
    return loops[0].operation if carries_same else None


def _source(value: ir.Value, view: type[tensor.ExtractSlice | tensor.InsertSlice]) -> ir.Value:
    """The source of a slice, through ops of `view`."""
    while (op := view.defining(value)) is not None:
        value = op.source
    return value


def for_loop(code: Emission, op: ir.Operation) -> None:
    """Emits `scf.for` on vectors; a nest becomes one loop, so that all of it is software-pipelined."""
    nest = nest_of(op)
    given = zip(scf.For(op).init_args, op.results, strict=True)
    initial = [_initial(code, value, result, op) for value, result in given]
    code.wait()
    loop = scf.ForOp(*_bounds(code, nest), _vectors(initial))
    with ir.InsertionPoint(loop.body):
        carried = _like(initial, loop.inner_iter_args)
        yielded = _emit(code, nest.loops, _indices(code, nest, loop.induction_variable), carried)
        code.wait()
        scf.YieldOp(_vectors(yielded))
    for old in nest.loops:
        for name in old.attributes:
            if name.startswith(_PREFIX):
                loop.operation.attributes[name] = old.attributes[name]
    code.values.update(zip(op.results, _like(initial, loop.operation.results), strict=True))


def _bounds(code: Emission, nest: LoopNest) -> list[ir.Value]:
    """Lower bound, upper bound and step."""
    if len(nest.loops) == 1:
        loop = scf.For(nest.loops[0])
        return [code.scalar(bound) for bound in (loop.lower_bound, loop.upper_bound, loop.step)]
    return [as_value(0), as_value(prod(nest.counts or [])), as_value(1)]


def _indices(code: Emission, nest: LoopNest, iteration: ir.Value) -> list[Index]:
    """The induction variables of the loops of a nest in an iteration of the merged loop."""
    if len(nest.loops) == 1:
        return [iteration]
    indices = []
    for op, index in zip(nest.loops, delinearize(iteration, nest.counts or []), strict=True):
        loop = scf.For(op)
        lower, step = (constant_value(bound) or 0 for bound in (loop.lower_bound, loop.step))
        indices.append(add(multiply(index, step), lower))
    return indices


def _emit(
    code: Emission, loops: Sequence[ir.Operation], indices: Sequence[Index], carried: Sequence[Representation]
) -> list[Representation]:
    """Emits one iteration of a nest; returns the values that it yields."""
    loop = scf.For(loops[0])
    code.values.update(zip(loop.arguments, [as_value(indices[0]), *carried], strict=True))
    for op in list(loop.entry_block.operations)[:-1]:
        if len(loops) > 1 and op.operation == loops[1]:
            given = [code.values[value] for value in scf.For(loops[1]).init_args]
            results = _emit(code, loops[1:], indices[1:], given)
            code.values.update(zip(loops[1].results, results, strict=True))
        else:
            code.emit(op.operation)
    return [code.values[operand] for operand in loop.terminator.operands]


def _initial(code: Emission, value: ir.Value, result: ir.Value, op: ir.Operation) -> Representation:
    """An initial value of a loop; memory if it computes a result of the kernel."""
    found = code.values[value]
    if isinstance(found, Slice) and found.memory is None:
        if result not in code.destinations:
            raise PassError("a loop computes a tensor that is no result of the kernel", op.location)
        return code.destinations[result]
    return found


def _vectors(mapped: Sequence[Representation]) -> list[ir.Value]:
    """The values that a loop carries: not memory, which is updated in place."""
    carried = [value for value in mapped if not isinstance(value, (Slice, SharedTile))]
    return [value.vector if isinstance(value, VectorTile) else value for value in carried]


def _like(mapped: Sequence[Representation], values: Sequence[ir.Value]) -> list[Representation]:
    """Replaces the values that a loop carries in `mapped` by `values`."""
    rest = iter(values)
    found: list[Representation] = []
    for old in mapped:
        if isinstance(old, (Slice, SharedTile)):
            found.append(old)
        else:
            new = next(rest)
            found.append(VectorTile(new, old.extents) if isinstance(old, VectorTile) else new)
    return found


HANDLERS = {scf.For.NAME: for_loop}
