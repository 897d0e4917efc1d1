"""What watches the pipelines: which passes change a module, and how long each takes."""

from __future__ import annotations

import time

from mlc.bindings import ir
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import Step


class Changes(Instrumentation):
    """`names` are the passes that changed the module somewhere."""

    def __init__(self, module: ir.Operation) -> None:
        self.names: set[str] = set()
        self.module = module
        self.text = self.now()

    def now(self) -> str:
        return str(self.module.get_asm(assume_verified=True, use_local_scope=True))

    def after(self, step: Step, op: ir.Operation) -> None:
        text = self.now()
        if text != self.text:
            self.names.add(step.name)
        self.text = text


class PassSeconds(Instrumentation):
    """Wall seconds per pass, wherever it stands."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.started = 0.0

    def before(self, step: Step, op: ir.Operation) -> None:
        self.started = time.perf_counter()

    def after(self, step: Step, op: ir.Operation) -> None:
        taken = time.perf_counter() - self.started
        self.seconds[step.name] = self.seconds.get(step.name, 0.0) + taken
