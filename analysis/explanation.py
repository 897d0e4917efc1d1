"""Reports the changes and missed changes of every pass of a pipeline: a listener for the pipeline driver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from mlc.analysis.constant_values import inner_ops
from mlc.analysis.kernel_groups import KernelGroup, kernel_groups
from mlc.bindings import builtin, func, ir
from mlc.dialects import tloop
from mlc.passes.base import PassError
from mlc.passes.graph.common.views import CONSTANTS
from mlc.passes.remarks import Remark, collect_remarks, names_in
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import PassStep

# An op's name without `graph.`, and the ONNX nodes that it came from.
Entry = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Snapshot:
    """The graph ops of a module at one moment. `functions`: for `@main`, `@prepare` and other functions that
    are no kernels, the counts of their ops, without constants. `arena`: the memory plan's attributes of
    `@main` (bytes), if any."""

    functions: dict[str, Counter[Entry]] = field(default_factory=dict)
    arena: dict[str, int] = field(default_factory=dict)

    def ops(self, function: str = "main") -> int:
        """Returns the number of ops of a function."""
        return self.functions.get(function, Counter()).total()

    def entries(self) -> Counter[Entry]:
        """Returns the ops of `@main`, or of all functions if there is none."""
        if "main" in self.functions:
            return self.functions["main"]
        return sum(self.functions.values(), Counter())

    def has_launches(self) -> bool:
        """Whether kernels were formed."""
        return any(op == tloop.Launch.NAME for entries in self.functions.values() for op, _ in entries)


def snapshot(op: ir.Operation) -> Snapshot:
    """Returns the snapshot of a module, or of one function."""
    taken = Snapshot()
    for function in _functions(op):
        name = func.Func(function).sym_name
        if "tloop.kernel" in function.attributes:
            continue
        taken.functions[name] = Counter(_entries(function))
        if name == "main":
            taken.arena.update(_arena(function))
    return taken


def _functions(op: ir.Operation) -> Iterator[ir.Operation]:
    if func.Func.isa(op):
        yield op
    elif op.name == builtin.Module.NAME:
        for inner in op.regions[0].blocks[0].operations:
            yield from _functions(inner.operation)


def _entries(function: ir.Operation) -> Iterator[Entry]:
    """Yields the graph ops and launches of a function, also those in bodies of control flow."""
    for op in inner_ops(function):
        if tloop.Launch.isa(op) or (op.name.startswith("graph.") and op.name not in CONSTANTS):
            yield op.name.removeprefix("graph."), names_in(str(op.location))


def _arena(function: ir.Operation) -> dict[str, int]:
    names = ("arena_bytes", "arena_lower_bound")
    return {
        name: function.attributes[f"tloop.{name}"].value
        for name in names
        if f"tloop.{name}" in function.attributes
    }


@dataclass
class PassReport:
    """One run of a pass, in the named `pipeline`: remarks, ops before and after, kernels that it formed."""

    name: str
    before: Snapshot
    after: Snapshot = field(default_factory=Snapshot)
    remarks: list[Remark] = field(default_factory=list)
    kernels: list[KernelGroup] = field(default_factory=list)
    pipeline: str = ""

    @property
    def applied(self) -> list[Remark]:
        """Remarks of rules that applied, in order."""
        return [remark for remark in self.remarks if remark.outcome == "applied"]

    @property
    def missed(self) -> list[Remark]:
        """Remarks of missed changes, in order, without repetitions."""
        return list(dict.fromkeys(remark for remark in self.remarks if remark.outcome == "missed"))

    @property
    def arena(self) -> dict[str, int]:
        """The memory plan's sizes, if this pass made it."""
        return {} if self.before.arena else self.after.arena

    @property
    def removed(self) -> Counter[Entry]:
        """Ops of `@main` that were removed, with counts; without those that are in kernels now."""
        return Counter() if self._lowers else self.before.entries() - self.after.entries()

    @property
    def added(self) -> Counter[Entry]:
        """Ops of `@main` that were added, with counts."""
        return Counter() if self._lowers else self.after.entries() - self.before.entries()

    @property
    def _lowers(self) -> bool:
        return bool(self.kernels or self.arena)


@dataclass
class Explanation(Instrumentation):
    """Collects a report for each pass that runs, in order. A pass that fails leaves none."""

    reports: list[PassReport] = field(default_factory=list)
    _running: list[tuple[PassReport, ExitStack]] = field(default_factory=list)

    def before(self, step: PassStep, op: ir.Operation) -> None:
        stack = ExitStack()
        report = PassReport(step.name, snapshot(op))
        report.remarks = stack.enter_context(collect_remarks())
        self._running.append((report, stack))

    def after(self, step: PassStep, op: ir.Operation) -> None:
        report = self._end()
        report.after = snapshot(op)
        if report.after.has_launches() and not report.before.has_launches():
            report.kernels = kernel_groups(op)
        self.reports.append(report)

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        self._end()

    def _end(self) -> PassReport:
        report, stack = self._running.pop()
        stack.close()
        return report

    def name_pipeline(self, pipeline: str) -> None:
        """Sets the pipeline in which the passes since the last call ran."""
        for report in reversed(self.reports):
            if report.pipeline:
                break
            report.pipeline = pipeline
