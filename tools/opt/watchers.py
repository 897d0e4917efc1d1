"""From the flags for printing, timing and statistics to what watches the pipeline and reports at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Sequence
from pathlib import Path

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.instrumentation import ALL_PASSES, IRPrinting, Timing
from mlc.pipelines.instrumentation.ir_printing import FolderSink, Sink, StreamSink
from mlc.tools.command_line import CommandLine, UsageError, close_matches
from mlc.tools.opt.printing import make_printer
from mlc.tools.opt.timing import DISPLAYS, FORMATS, print_timing


def ir_printing(line: CommandLine) -> IRPrinting | None:
    """What `--mlir-print-ir-*` ask for. Raises `UsageError`."""
    before, after = _selected(line, "mlir-print-ir-before"), _selected(line, "mlir-print-ir-after")
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


def _selected(line: CommandLine, flag: str) -> Container[str] | None:
    if line.switch(f"{flag}-all"):
        return ALL_PASSES
    names = {name.strip() for value in line.values.get(flag, []) for name in value.split(",")}
    for name in sorted(names):
        if name not in upstream_passes() and registry.lookup(name) is None:
            known = [*registry.names(), *upstream_passes()]
            raise UsageError(f"--{flag}: there is no pass named '{name}'{close_matches(name, known)}")
    return names or None


def timing(line: CommandLine) -> Timing | None:
    """What `--mlir-timing` asks for."""
    return Timing() if line.switch("mlir-timing") else None


def timing_report(line: CommandLine, timing: Timing | None) -> Callable[[], None]:
    """Prints the report of `--mlir-timing`, or nothing. Raises `UsageError` at once."""
    display = choice(line, "mlir-timing-display", DISPLAYS)
    form = choice(line, "mlir-output-format", FORMATS)
    if timing is None:
        return lambda: None
    return lambda: print_timing(timing, sys.stderr, display, form)


def choice(line: CommandLine, flag: str, choices: Sequence[str]) -> str:
    """The value of `flag`, of which the first choice is the default. Raises `UsageError`."""
    value = line.value(flag, choices[0])
    if value not in choices:
        raise UsageError(f"--{flag} must be one of {', '.join(choices)}, not '{value}'")
    return value
