"""What passes count, per place of a pipeline."""

from __future__ import annotations

from mlc.passes.statistics import Statistic, begin_collecting, end_collecting
from mlc.pipelines.instrumentation.positions import Positions


class Statistics(Positions[dict[str, Statistic]]):
    """Collects what passes count with `Pass.count`, and the rewrites of each pattern."""

    def new(self) -> dict[str, Statistic]:
        return {}

    def begin(self, measure: dict[str, Statistic]) -> None:
        begin_collecting(measure)

    def end(self, measure: dict[str, Statistic]) -> None:
        end_collecting()
