"""One chunk of input through mlc-opt: parse, run the pipeline, print."""

from __future__ import annotations

import sys
import time
import traceback
from dataclasses import dataclass, field

from mlc.bindings import create_context, ir, parse_module
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError
from mlc.bindings.parsing import parse_bytecode
from mlc.pipelines.driver import PassError, run_pipeline
from mlc.pipelines.grammar import Nest
from mlc.pipelines.instrumentation import Instrumentation, Instrumentations, IRPrinting, Timing
from mlc.tools.diagnostics import DiagnosticPrinter
from mlc.tools.expected import ExpectedDiagnostics
from mlc.tools.opt.printing import Printer
from mlc.tools.sources import BYTECODE_MAGIC, Source

# Text without these words needs no dialect of ours, and loading one costs start-up time.
_OUR_DIALECTS = ("graph", "tloop")


@dataclass
class Session:
    """What the command line asks for. `timing` sums over chunks."""

    nest: Nest
    printer: Printer
    has_python_passes: bool
    ir_printing: IRPrinting | None = None
    timing: Timing | None = None
    verify_diagnostics: str | None = None
    verify_each: bool = True
    allow_unregistered: bool = False
    reproducer: str | None = None
    traceback: bool = False
    seconds: dict[str, float] = field(default_factory=lambda: {"Parser": 0.0, "Output": 0.0})


class _Listener(Instrumentation):
    """Hands diagnostics of passes to the printer, or to the expectations."""

    def __init__(self, source: Source, level: str | None) -> None:
        self.printer = DiagnosticPrinter(sys.stderr, source)
        self.expected = None
        if level is not None:
            self.expected = ExpectedDiagnostics(source, self.printer, only_expected=level == "only-expected")

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        if self.expected:
            self.expected.see(diagnostic)
        else:
            self.printer.show(diagnostic)


def process(source: Source, raw: bytes, session: Session) -> tuple[str, bool]:
    """The output text for one chunk, and whether it went well. Messages go to stderr."""
    listener = _Listener(source, session.verify_diagnostics)
    output, succeeded = "", False
    try:
        output, succeeded = _transform(source, raw, session, listener), True
    except DiagnosticsError as error:
        if not error.diagnostics:
            print(f"mlc-opt: {error.summary}", file=sys.stderr)
    except PassError as error:
        _report(error, session)
    if listener.expected:
        succeeded = listener.expected.finish()
    return output, succeeded


def _transform(source: Source, raw: bytes, session: Session, listener: _Listener) -> str:
    context = create_context(allow_unregistered_dialects=session.allow_unregistered)
    if session.has_python_passes or any(word.encode() in raw for word in _OUR_DIALECTS):
        from mlc.dialects import load

        load(context)
    start = time.perf_counter()
    module = _parse(source, raw, context, listener)
    session.seconds["Parser"] += time.perf_counter() - start
    watchers = [each for each in (session.ir_printing, session.timing, listener) if each]
    run_pipeline(
        session.nest,
        module,
        Instrumentations(watchers),
        verify_each=session.verify_each,
        reproducer=session.reproducer,
    )
    start = time.perf_counter()
    text = session.printer(module.operation) + "\n"
    session.seconds["Output"] += time.perf_counter() - start
    return text


def _parse(source: Source, raw: bytes, context: ir.Context, listener: _Listener) -> ir.Module:
    if raw.startswith(BYTECODE_MAGIC):
        return parse_bytecode(raw, context, source.name, listener=listener.diagnostic)
    return parse_module(source.text, context, source.name, listener=listener.diagnostic)


def _report(error: PassError, session: Session) -> None:
    """Says which pass failed on what; the diagnostics were shown when they were emitted."""
    if session.traceback and error.__cause__ is not None:
        traceback.print_exception(error.__cause__)
    if session.verify_diagnostics is not None:
        return
    hint = " (--mlc-traceback shows where)" if error.crashed and not session.traceback else ""
    print(f"mlc-opt: {error.summary}{hint}", file=sys.stderr)
    if error.reproducer:
        print(f"mlc-opt: reproducer written to {error.reproducer}", file=sys.stderr)
