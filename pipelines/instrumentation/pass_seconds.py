"""Wall time per pass, summed over all places of a pipeline and all ops on which the pass ran."""

from __future__ import annotations

import time
from collections import defaultdict

from mlc.bindings import ir
from mlc.passes.base import PassFailure
from mlc.pipelines.instrumentation.base import Instrumentation
from mlc.pipelines.plan import Step


class PassSeconds(Instrumentation):
    """Seconds by the pass's name in `seconds`; one object may watch many runs."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._started = 0.0

    def before(self, step: Step, op: ir.Operation) -> None:
        self._started = time.perf_counter()

    def after(self, step: Step, op: ir.Operation) -> None:
        self.seconds[step.name] += time.perf_counter() - self._started

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        self.after(step, op)
