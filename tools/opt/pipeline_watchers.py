"""Makes the instrumentation and reports that flags for printing, timing and statistics ask for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.instrumentation import ALL_PASSES, Instrumentation, IRPrinting, Timing
from mlc.pipelines.instrumentation.ir_printing import FolderSink, Sink, StreamSink
from mlc.pipelines.instrumentation.measures import Statistics
from mlc.pipelines.instrumentation.rewrite_printing import RewritePrinting
from mlc.pipelines.plan import unknown_name
from mlc.tools.command_line import CommandLine, UsageError, close_matches
from mlc.tools.opt.printing import make_printer
from mlc.tools.opt.reports import DISPLAYS as STATISTICS_DISPLAYS
from mlc.tools.opt.reports import print_statistics
from mlc.tools.opt.timing import DISPLAYS as TIMING_DISPLAYS
from mlc.tools.opt.timing import FORMATS as TIMING_FORMATS
from mlc.tools.opt.timing import print_timing


@dataclass
class Watchers:
    """The instrumentation of all pipelines of a run, and the reports that are printed at the end."""

    parts: list[Instrumentation] = field(default_factory=list)
    timing: Timing | None = None
    reports: list[Callable[[], None]] = field(default_factory=list)

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Times the body of the `with` block as `name`."""
        return self.timing.phase(name) if self.timing else nullcontext()

    def report(self) -> None:
        """Prints the reports of statistics and of timing."""
        for print_report in self.reports:
            print_report()


def make_watchers(line: CommandLine) -> Watchers:
    """Returns the watchers that the flags ask for. Raises `UsageError`."""
    watchers = Watchers()
    if printing := _ir_printing(line):
        watchers.parts.append(printing)
    if line.is_given("trace-rewrites"):
        watchers.parts.append(RewritePrinting(sys.stderr, _expression(line, "trace-rewrites")))
    _add_statistics(line, watchers)
    _add_timing(line, watchers)
    return watchers


def _add_statistics(line: CommandLine, watchers: Watchers) -> None:
    display = line.choice("mlir-pass-statistics-display", STATISTICS_DISPLAYS)
    if line.switch("mlir-pass-statistics"):
        statistics = Statistics()
        watchers.parts.append(statistics)
        watchers.reports.append(lambda: print_statistics(statistics, sys.stderr, display))


def _add_timing(line: CommandLine, watchers: Watchers) -> None:
    display = line.choice("mlir-timing-display", TIMING_DISPLAYS)
    form = line.choice("mlir-output-format", TIMING_FORMATS)
    if line.switch("mlir-timing"):
        timing = watchers.timing = Timing()
        watchers.parts.append(timing)
        watchers.reports.append(lambda: print_timing(timing, sys.stderr, display, form))


def _ir_printing(line: CommandLine) -> IRPrinting | None:
    before, after = _select_passes(line, "mlir-print-ir-before"), _select_passes(line, "mlir-print-ir-after")
    on_failure = line.switch("mlir-print-ir-after-failure")
    if not (before or after or on_failure):
        return None
    return IRPrinting(
        printer=make_printer(line),
        new_sink=_sink(line),
        before_passes=before or (),
        after_passes=after or (),
        after_failure=on_failure,
        only_changes=line.switch("mlir-print-ir-after-change"),
        module_scope=line.switch("mlir-print-ir-module-scope"),
        verified=passes_verify(line),
    )


def passes_verify(line: CommandLine) -> bool:
    """Whether the IR is valid, and known to be, after each pass; a reproducer may ask for no verification."""
    return line.switch("verify-each", default=True) and not line.switch("run-reproducer")


def _sink(line: CommandLine) -> Callable[[], Sink]:
    folder = line.value("mlir-print-ir-tree-dir")
    return (lambda: FolderSink(Path(folder))) if folder else (lambda: StreamSink(sys.stderr))


def _select_passes(line: CommandLine, flag: str) -> Container[str] | None:
    if line.switch(f"{flag}-all"):
        return ALL_PASSES
    names = {name.strip() for value in line.values.get(flag, []) for name in value.split(",")}
    for name in sorted(names):
        if name not in upstream_passes() and registry.lookup(name) is None:
            known = [*registry.names(), *upstream_passes()]
            unknown = f"there is no pass named '{name}'{close_matches(name, known)}"
            raise UsageError(f"--{flag}: {unknown_name(name) if name in registry.RENAMED else unknown}")
    return names or None


def _expression(line: CommandLine, flag: str) -> re.Pattern[str]:
    try:
        return re.compile(line.value(flag))
    except re.error as error:
        raise UsageError(f"--{flag}: '{line.value(flag)}' is no regular expression: {error}") from error
