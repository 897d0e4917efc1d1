"""Upstream's pass managers for the steps of a plan.

One for each pass: it costs a few microseconds, and is kept for the next op on which the pass runs.
"""

from __future__ import annotations

from mlc.bindings import PassManager, ir
from mlc.bindings.upstream import UpstreamPassError, parse_upstream
from mlc.bindings.upstream_table import upstream_passes
from mlc.pipelines.grammar import PipelineError
from mlc.pipelines.option_listing import with_all_options
from mlc.pipelines.plan import PassPlan, PassStep


class PassManagers:
    """A pass manager for each of upstream's steps, by anchor and text."""

    def __init__(self, verify_each: bool) -> None:
        self.verify_each = verify_each
        self.of: dict[tuple[str, str], PassManager] = {}
        # The steps as they are shown: with the options that the text leaves out.
        self.shown: dict[tuple[str, str], PassStep] = {}

    def build(self, plan: PassPlan, context: ir.Context) -> None:
        """Builds the pass managers of a plan. Raises `PipelineError`."""
        for item in plan.items:
            if isinstance(item, PassPlan):
                self.build(item, context)
            elif item.python is None:
                manager = self.manager(plan.anchor, item, context)
                self.of[plan.anchor, item.text] = manager
                self.shown[plan.anchor, item.text] = with_all_options(item, manager)

    def manager(self, anchor: str, step: PassStep, context: ir.Context) -> PassManager:
        """Builds the pass manager of a step. Raises `PipelineError`."""
        try:
            manager = parse_upstream(f"{anchor}({step.text})", context)
        except UpstreamPassError as error:
            raise PipelineError(f"pass '{step.name}': {error.summary}{_valid_options(step.name)}") from error
        manager.enable_verifier(self.verify_each)
        return manager


def _valid_options(name: str) -> str:
    options = upstream_passes()[name].options
    known = f"its options with their defaults: {options}" if options else "no options of it are known"
    return f"; {known} (upstream's bindings do not show options that are lists)"
