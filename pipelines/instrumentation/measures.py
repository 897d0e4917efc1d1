"""Measures of pipelines: wall time and counters of passes, by position in the pipeline or by name."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.statistics import Statistic, begin_collecting, end_collecting
from mlc.pipelines.instrumentation.base import Instrumentation
from mlc.pipelines.instrumentation.positions import Position, Positions
from mlc.pipelines.plan import PassStep


class PassSeconds(Instrumentation):
    """Sums the seconds of passes by name in `seconds`; one object may watch many runs."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._started = 0.0

    def before(self, step: PassStep, op: ir.Operation) -> None:
        self._started = time.perf_counter()

    def after(self, step: PassStep, op: ir.Operation) -> None:
        self.seconds[step.name] += time.perf_counter() - self._started

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        self.after(step, op)


class Statistics(Positions[dict[str, Statistic]]):
    """Collects the counters of passes (`Pass.count`), and the rewrites of each pattern."""

    def new(self) -> dict[str, Statistic]:
        return {}

    def begin(self, measure: dict[str, Statistic]) -> None:
        begin_collecting(measure)

    def end(self, measure: dict[str, Statistic]) -> None:
        end_collecting()


@dataclass
class Stopwatch:
    """The seconds between `start` and `stop`, summed over all runs, and their count."""

    seconds: float = 0.0
    runs: int = 0
    started: float = 0.0

    def start(self) -> None:
        """Begins to measure."""
        self.started = time.perf_counter()

    def stop(self) -> None:
        """Adds the time since `start`."""
        self.seconds += time.perf_counter() - self.started
        self.runs += 1


class Timing(Positions[Stopwatch]):
    """Measures passes and nested pipelines; phases, such as the parser's, by `phase`. Starts at once."""

    def __init__(self) -> None:
        super().__init__()
        self.phases: dict[str, Stopwatch] = {}
        self.root.measure.start()

    def new(self) -> Stopwatch:
        return Stopwatch()

    def begin(self, measure: Stopwatch) -> None:
        measure.start()

    def end(self, measure: Stopwatch) -> None:
        measure.stop()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measures the `with` block as a phase called `name`."""
        watch = self.phases.setdefault(name, Stopwatch())
        watch.start()
        try:
            yield
        finally:
            watch.stop()

    def finish(self) -> float:
        """Ends the measurement, and returns the seconds in total."""
        self.root.measure.stop()
        return self.root.measure.seconds

    def passes(self) -> list[Position[Stopwatch]]:
        """Returns the positions of all passes, in the pipeline's order."""
        return [position for _, position in self.root.walk() if position.is_pass]
