"""What every pass of a pipeline changed and missed: a listener for the pipeline driver."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field

from mlc.analysis.kernel_groups import KernelGroup, kernel_groups
from mlc.analysis.op_snapshot import Entry, Snapshot, snapshot
from mlc.bindings import ir
from mlc.passes.base import PassFailure
from mlc.passes.remarks import Remark, collect_remarks
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import Step


@dataclass
class PassReport:
    """One run of a pass: its remarks, the ops before and after, and the kernels, if it was it that formed
    them. `pipeline` is the named pipeline it ran in, or ""."""

    name: str
    before: Snapshot
    after: Snapshot = field(default_factory=Snapshot)
    remarks: list[Remark] = field(default_factory=list)
    kernels: list[KernelGroup] = field(default_factory=list)
    pipeline: str = ""

    @property
    def applied(self) -> list[Remark]:
        """What rules changed, in order."""
        return [each for each in self.remarks if each.kind == "applied"]

    @property
    def missed(self) -> list[Remark]:
        """What the pass would have changed, in order; what it tried again and again is there once."""
        return list(dict.fromkeys(each for each in self.remarks if each.kind == "missed"))

    @property
    def arena(self) -> dict[str, int]:
        """What the memory plan needs, if it was this pass that made it."""
        return {} if self.before.arena else self.after.arena

    @property
    def removed(self) -> Counter[Entry]:
        """Ops of `@main` that are fewer than before, and by how many; not those that are in kernels now."""
        return Counter() if self._lowers else self.before.entries() - self.after.entries()

    @property
    def added(self) -> Counter[Entry]:
        """Ops of `@main` that are more than before, and by how many."""
        return Counter() if self._lowers else self.after.entries() - self.before.entries()

    @property
    def _lowers(self) -> bool:
        return bool(self.kernels or self.arena)


@dataclass
class Explanation(Instrumentation):
    """Collects a report for each pass that runs, in order. A pass that fails leaves none."""

    reports: list[PassReport] = field(default_factory=list)
    _running: list[tuple[PassReport, ExitStack]] = field(default_factory=list)

    def before(self, step: Step, op: ir.Operation) -> None:
        stack = ExitStack()
        report = PassReport(step.name, snapshot(op))
        report.remarks = stack.enter_context(collect_remarks())
        self._running.append((report, stack))

    def after(self, step: Step, op: ir.Operation) -> None:
        report = self._end()
        report.after = snapshot(op)
        if report.after.has_launches() and not report.before.has_launches():
            report.kernels = kernel_groups(op)
        self.reports.append(report)

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        self._end()

    def _end(self) -> PassReport:
        report, stack = self._running.pop()
        stack.close()
        return report

    def name_pipeline(self, pipeline: str) -> None:
        """Says in which pipeline the passes since the last call ran."""
        for report in reversed(self.reports):
            if report.pipeline:
                break
            report.pipeline = pipeline
