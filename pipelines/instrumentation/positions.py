"""The positions of a pipeline as a tree, for measures that are summed over ops and inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.pipelines.instrumentation.base import Instrumentation
from mlc.pipelines.plan import PassPlan, PassStep

Measure = TypeVar("Measure")


@dataclass
class Position(Generic[Measure]):
    """A pass, or a nested pipeline, at its position in a pipeline, with its measure."""

    name: str
    measure: Measure
    children: dict[int, Position[Measure]] = field(default_factory=dict)
    is_pass: bool = True

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Position[Measure]]]:
        """Yields all positions inside this one, outermost first, with their depth (0: directly inside)."""
        for child in self.children.values():
            yield depth, child
            yield from child.walk(depth + 1)


@dataclass
class _Visit(Generic[Measure]):
    """One run of a plan. `reached` is the index of the first item that may come next."""

    plan: PassPlan
    position: Position[Measure]
    reached: int = 0

    def advance(self, item: PassStep | PassPlan) -> int:
        """Returns the index of `item`. Each step comes once, in order; a nested plan once for each op, or
        never."""
        while not _stands_for(item, self.plan.items[self.reached]):
            self.reached += 1
        index = self.reached
        if isinstance(item, PassStep):
            self.reached += 1
        return index


def _stands_for(item: PassStep | PassPlan, planned: PassStep | PassPlan) -> bool:
    """Whether `item` is the planned one; the driver may show another form of a step's text."""
    if isinstance(item, PassStep) and isinstance(planned, PassStep):
        return item.name == planned.name
    return item is planned


class Positions(Instrumentation, Generic[Measure]):
    """Keeps a measure for each position of the pipeline; runs on several ops or inputs share it.

    Subclasses define new measures, and what happens when the item at a position begins and ends.
    """

    def __init__(self) -> None:
        self.root: Position[Measure] = Position("root", self.new(), is_pass=False)
        self._path: list[_Visit[Measure]] = []
        self._step = self.root

    def new(self) -> Measure:
        """Returns the measure of a position that has not run."""
        raise NotImplementedError

    def begin(self, measure: Measure) -> None:
        """Is called when a pass or a nested pipeline begins."""

    def end(self, measure: Measure) -> None:
        """Is called when it ends, also by a failure."""

    def enter(self, plan: PassPlan, op: ir.Operation) -> None:
        if not self._path:
            self._path.append(_Visit(plan, self.root))
            return
        position = self._position(plan, f"'{plan.anchor}' Pipeline")
        self._path.append(_Visit(plan, position))
        self.begin(position.measure)

    def leave(self, plan: PassPlan, op: ir.Operation) -> None:
        visit = self._path.pop()
        if self._path:
            self.end(visit.position.measure)

    def before(self, step: PassStep, op: ir.Operation) -> None:
        self._step = self._position(step, step.title)
        self.begin(self._step.measure)

    def after(self, step: PassStep, op: ir.Operation) -> None:
        self.end(self._step.measure)

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        self.after(step, op)

    def _position(self, item: PassStep | PassPlan, name: str) -> Position[Measure]:
        visit = self._path[-1]
        index, children = visit.advance(item), visit.position.children
        if index not in children:
            children[index] = Position(name, self.new(), is_pass=isinstance(item, PassStep))
        return children[index]
