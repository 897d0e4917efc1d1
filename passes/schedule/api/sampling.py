"""The stochastic primitives: their choices and decisions."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt, prod
from random import Random

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.common.computation import Computation
from mlc.passes.schedule.common.loops import sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError

DECISION = "decision"


def sample_perfect_tile(op: ir.Operation, state: ScheduleState) -> None:
    """Factors an extent, by the decision of the primitive or at random."""
    step = tloop.SamplePerfectTile(op)
    extent = _extent(step, state)
    count, largest = len(op.results), step.largest
    if DECISION not in op.attributes:
        choices = list(factorisations(extent, count, largest))
        if not choices:
            raise StepError(
                f"there is no way to make {extent} of {count} factors, the last at most {largest}"
            )
        step.decision = tuple(sampler(state).choice(choices))
    if not isinstance(op.attributes[DECISION], ir.DenseI64ArrayAttr):
        raise StepError("its decision is not an array<i64: ...>")
    factors = list(step.decision or ())
    if len(factors) != count or prod(factors) != extent or factors[-1] > largest:
        raise StepError(f"its decision {factors} is no way to make {extent} of {count} factors")
    state.sampled.update(zip(op.results, factors, strict=True))


def sample_categorical(op: ir.Operation, state: ScheduleState) -> None:
    """Chooses a candidate, by the decision of the primitive or at random."""
    step = tloop.SampleCategorical(op)
    candidates = step.candidates
    if DECISION not in op.attributes:
        step.decision = sampler(state).choices(range(len(candidates)), step.probabilities)[0]
    if not isinstance(op.attributes[DECISION], ir.IntegerAttr):
        raise StepError("its decision is not the position of a candidate")
    position = step.decision
    assert position is not None
    if not 0 <= position < len(candidates):
        raise StepError(f"its decision is {position}, but there are {len(candidates)} candidates")
    state.sampled[step.value] = candidates[position]


def sampler(state: ScheduleState) -> Random:
    """Returns the source of decisions. Raises StepError if only decided schedules are applied."""
    if state.random is None:
        raise StepError("it has no decision yet: run tloop-sample-schedules first")
    return state.random


def _extent(step: tloop.SamplePerfectTile, state: ScheduleState) -> int:
    """Returns the trip count of the loop, or the extent of the computation's dimension."""
    target, dim = state.targets(step.target)[0], step.dim
    if not target.name.startswith("linalg."):
        loop = sequential(target)
        if loop.trips is None:
            raise StepError(f"the number of iterations of loop {loop.name} is not constant")
        return loop.trips
    extents = Computation(target).extents
    if dim >= len(extents):
        raise StepError(f"there is no dimension {dim}; the computation has {len(extents)}")
    return extents[dim]


def divisors(value: int) -> list[int]:
    """Returns the divisors in ascending order."""
    small = [divisor for divisor in range(1, isqrt(value) + 1) if value % divisor == 0]
    return sorted({*small, *(value // divisor for divisor in small)})


def factorisations(extent: int, count: int, largest: int) -> Iterator[list[int]]:
    """Yields all lists of `count` factors of `extent`, of which the last is at most `largest`."""
    for last in divisors(extent):
        if last > largest:
            return
        if count == 1:
            if last == extent:
                yield [last]
        else:
            yield from ([*rest, last] for rest in factorisations(extent // last, count - 1, extent))
