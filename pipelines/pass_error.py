"""The failure of a pass."""

from __future__ import annotations

from pathlib import Path

from mlc.bindings.diagnostics import Diagnostic
from mlc.passes.base import InvalidModelError, PassError
from mlc.pipelines.plan import PassStep


class PassRunError(PassError):
    """A pass failed in a pipeline: names the pass and the op, and holds the diagnostics in their order.

    `reproducer` is the file that `mlc-opt --run-reproducer` takes, if one was asked for. `__cause__` is what
    a Python pass raised; `crashed` means that it is no `PassError`.
    """

    def __init__(
        self, step: PassStep, op_text: str, diagnostics: list[Diagnostic], *, crashed: bool = False
    ) -> None:
        self.pass_name = step.name
        self.op_text = op_text
        self.diagnostics = tuple(diagnostics)
        self.crashed = crashed
        self.reproducer: Path | None = None
        first = next((diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"), None)
        cause = first.message if first else "no message"
        notes = [(note.message, note.location) for note in first.notes] if first else []
        super().__init__(f"{self.summary}: {cause}", first.location if first else None, notes)

    @property
    def fault_of_model(self) -> str:
        """The message of the pass where it found the model to be wrong, "" where it failed otherwise."""
        return self.__cause__.message if isinstance(self.__cause__, InvalidModelError) else ""

    @property
    def summary(self) -> str:
        """The pass and the op, as `pass 'x' failed on 'func.func' operation: @f`."""
        return f"pass '{self.pass_name}' failed on {self.op_text}"
