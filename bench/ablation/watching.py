"""Instrumentation that records the passes that change a module."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import PassStep


class ChangedPasses(Instrumentation):
    """Records in `names` the passes that changed the module."""

    def __init__(self, module: ir.Operation) -> None:
        self.names: set[str] = set()
        self.module = module
        self.text = self.now()

    def now(self) -> str:
        """Returns the current text of the module."""
        return str(self.module.get_asm(assume_verified=True, use_local_scope=True))

    def after(self, step: PassStep, op: ir.Operation) -> None:
        """Compares the module after a pass."""
        text = self.now()
        if text != self.text:
            self.names.add(step.name)
        self.text = text
