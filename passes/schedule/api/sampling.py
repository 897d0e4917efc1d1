"""The stochastic primitives: what they may choose, and what they have chosen."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from random import Random

from mlc.bindings import ir
from mlc.passes.common.computation import Computation
from mlc.passes.common.constants import i64
from mlc.passes.schedule.common.loops import sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError

DECISION = "decision"


def sample_perfect_tile(op: ir.Operation, state: ScheduleState) -> None:
    extent = _extent(op, state)
    count, largest = len(op.results), op.attributes["largest"].value
    if DECISION not in op.attributes:
        choices = list(factorisations(extent, count, largest))
        if not choices:
            raise StepError(
                f"there is no way to make {extent} of {count} factors, the last at most {largest}"
            )
        op.attributes[DECISION] = ir.DenseI64ArrayAttr.get(sampler(state).choice(choices))
    if not isinstance(op.attributes[DECISION], ir.DenseI64ArrayAttr):
        raise StepError("its decision is not an array<i64: ...>")
    factors = list(op.attributes[DECISION])
    product = 1
    for factor in factors:
        product *= factor
    if len(factors) != count or product != extent or factors[-1] > largest:
        raise StepError(f"its decision {factors} is no way to make {extent} of {count} factors")
    state.sampled.update(zip(op.results, factors, strict=True))


def sample_categorical(op: ir.Operation, state: ScheduleState) -> None:
    candidates = list(op.attributes["candidates"])
    if DECISION not in op.attributes:
        chances = list(op.attributes["probabilities"])
        position = sampler(state).choices(range(len(candidates)), chances)[0]
        kind = i64()
        op.attributes[DECISION] = ir.IntegerAttr.get(kind, position)
    if not isinstance(op.attributes[DECISION], ir.IntegerAttr):
        raise StepError("its decision is not the position of a candidate")
    position = op.attributes[DECISION].value
    if not 0 <= position < len(candidates):
        raise StepError(f"its decision is {position}, but there are {len(candidates)} candidates")
    state.sampled[op.results[0]] = candidates[position]


def sampler(state: ScheduleState) -> Random:
    """The source of decisions. Raises StepError where only decided schedules are applied."""
    if state.random is None:
        raise StepError("it has no decision yet: run tloop-sample-schedules first")
    return state.random


def _extent(op: ir.Operation, state: ScheduleState) -> int:
    """The iterations of the loop, or the points of the computation's dimension."""
    target, dim = state.targets(op.operands[0])[0], op.attributes["dim"].value
    if not target.name.startswith("linalg."):
        loop = sequential(target)
        if loop.trips is None:
            raise StepError(f"the number of iterations of loop {loop.name} is not constant")
        return loop.trips
    extents = Computation(target).extents
    if dim >= len(extents):
        raise StepError(f"there is no dimension {dim}; the computation has {len(extents)}")
    return extents[dim]


def divisors(number: int) -> list[int]:
    """In ascending order."""
    small = [index for index in range(1, isqrt(number) + 1) if number % index == 0]
    return sorted({*small, *(number // each for each in small)})


def factorisations(extent: int, count: int, largest: int) -> Iterator[list[int]]:
    """All lists of `count` factors of `extent`, of which the last is at most `largest`."""
    for last in divisors(extent):
        if last > largest:
            return
        if count == 1:
            if last == extent:
                yield [last]
        else:
            yield from ([*rest, last] for rest in factorisations(extent // last, count - 1, extent))
