"""Names the pass that runs, for the message if it crashes the process."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.bindings.diagnostics import describe
from mlc.pipelines.instrumentation import Instrumentation, describe_op
from mlc.pipelines.plan import PassStep
from mlc.tools.child_activity import Activity


@dataclass
class Announcer(Instrumentation):
    """Records the next pass and its op as the current step."""

    activity: Activity

    def before(self, step: PassStep, op: ir.Operation) -> None:
        self.activity.begin(f"{describe(op.location)}: error: pass '{step.name}' on {describe_op(op)}")
