"""Reproducers of single passes, for `--mlir-pass-pipeline-local-reproducer`."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir, parent_op
from mlc.passes.base import PassError
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import PassStep
from mlc.pipelines.reproducer import reproducer_text
from mlc.tools.child_activity import Activity
from mlc.tools.sources import write_output


@dataclass
class LocalReproducer(Instrumentation):
    """Keeps a reproducer of the running pass alone: in a file if it fails, for the parent if it crashes."""

    path: str
    verify_each: bool
    activity: Activity
    flags: str
    _text: str = ""

    def before(self, step: PassStep, op: ir.Operation) -> None:
        """Leaves the reproducer of a pass that begins."""
        nest, root = step.text, op
        while (parent := parent_op(root)) is not None:
            nest, root = f"{root.name}({nest})", parent
        self._text = reproducer_text(root, f"{root.name}({nest})", self.verify_each, self.flags)
        self.activity.leave(self._text.encode())

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        """Writes the reproducer of a pass that failed."""
        write_output(self.path, self._text)
