"""The places of a pipeline as a tree, for measures that are summed over ops and inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mlc.bindings import ir
from mlc.passes.base import PassFailure
from mlc.pipelines.instrumentation.base import Instrumentation
from mlc.pipelines.plan import Plan, Step

Measure = TypeVar("Measure")


@dataclass
class Position(Generic[Measure]):
    """A pass, or a nested pipeline, at one place of a pipeline, with what was measured there."""

    name: str
    measure: Measure
    children: dict[int, Position[Measure]] = field(default_factory=dict)
    is_pass: bool = True

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Position[Measure]]]:
        """All positions inside this one, outermost first, with their depth (0: directly inside)."""
        for child in self.children.values():
            yield depth, child
            yield from child.walk(depth + 1)


class Positions(Instrumentation, Generic[Measure]):
    """Keeps a measure for each place of the pipeline; runs on several ops or inputs share it.

    Subclasses say what a new measure is, and what happens when a place begins and ends.
    """

    def __init__(self) -> None:
        self.root: Position[Measure] = Position("root", self.new(), is_pass=False)
        self._path: list[tuple[Plan, Position[Measure]]] = []
        self._step = self.root

    def new(self) -> Measure:
        """The measure of a place that nothing happened at."""
        raise NotImplementedError

    def begin(self, measure: Measure) -> None:
        """A pass or a nested pipeline begins."""

    def end(self, measure: Measure) -> None:
        """It ended, well or not."""

    def enter(self, plan: Plan, op: ir.Operation) -> None:
        if not self._path:
            self._path.append((plan, self.root))
            return
        position = self._place(plan, f"'{plan.anchor}' Pipeline")
        self._path.append((plan, position))
        self.begin(position.measure)

    def leave(self, plan: Plan, op: ir.Operation) -> None:
        _, position = self._path.pop()
        if self._path:
            self.end(position.measure)

    def before(self, step: Step, op: ir.Operation) -> None:
        self._step = self._place(step, step.title)
        self.begin(self._step.measure)

    def after(self, step: Step, op: ir.Operation) -> None:
        self.end(self._step.measure)

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        self.after(step, op)

    def _place(self, item: Step | Plan, name: str) -> Position[Measure]:
        plan, parent = self._path[-1]
        index = next(index for index, each in enumerate(plan.items) if each is item)
        if index not in parent.children:
            parent.children[index] = Position(name, self.new(), is_pass=isinstance(item, Step))
        return parent.children[index]
