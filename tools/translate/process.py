"""One chunk of MLIR through mlc-translate: parse, translate."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from mlc.bindings import Diagnostic, DiagnosticsError, ir
from mlc.bindings.parsing import Listener
from mlc.codegen.errors import CodegenError
from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine
from mlc.tools.parsing import InputOptions, make_context, parse
from mlc.tools.reporter import DiagnosticOptions, Reporter, expected_level
from mlc.tools.sources import Chunk
from mlc.tools.translate.errors import TranslationError

# From an op and a listener for MLIR's diagnostics to the output. Raises `DiagnosticsError` after the
# listener was told, `TranslationError` and `CodegenError`.
Translate = Callable[[ir.Operation, Listener], bytes]


@dataclass(frozen=True)
class TranslateSession:
    """What the command line asks for."""

    translate: Translate
    input: InputOptions
    diagnostics: DiagnosticOptions


def make_session(line: CommandLine, translate: Translate) -> TranslateSession:
    """The session that the flags describe. Raises `UsageError`."""
    return TranslateSession(
        translate,
        InputOptions(
            allow_unregistered=line.switch("allow-unregistered-dialect"),
            implicit_module=not line.switch("no-implicit-module"),
        ),
        DiagnosticOptions(
            expected=expected_level(line),
            notes=not line.switch("error-diagnostics-only"),
            severities=("error",)
            if line.switch("error-diagnostics-only")
            else DiagnosticOptions().severities,
            color=line.switch("color", default=sys.stderr.isatty()),
        ),
    )


def process(chunk: Chunk, session: TranslateSession, activity: Activity) -> tuple[bytes, bool]:
    """The output for one chunk, and whether it went well. Messages go to stderr."""
    reporter = Reporter(chunk.source, session.diagnostics)
    output, succeeded = b"", False
    try:
        output, succeeded = _translate(chunk, session, reporter, activity), True
    except DiagnosticsError as error:
        if not error.diagnostics:
            reporter.diagnostic(Diagnostic("error", error.summary, None))
    if reporter.expected:
        succeeded = reporter.expected.finish()
    return output, succeeded


def _translate(chunk: Chunk, session: TranslateSession, reporter: Reporter, activity: Activity) -> bytes:
    activity.begin(f"{chunk.source.name}: error: the parser")
    context = make_context(session.input, chunk.raw, reporter.diagnostic)
    parsed = parse(chunk, session.input, context, reporter.diagnostic)
    activity.begin(f"{chunk.source.name}: error: the translation")
    try:
        return session.translate(parsed.operation, reporter.diagnostic)
    except (TranslationError, CodegenError) as error:
        # Reported here, while the context lives that the location belongs to.
        diagnostic = Diagnostic("error", str(error), parsed.operation.location)
        reporter.diagnostic(diagnostic)
        raise DiagnosticsError(str(error), [diagnostic]) from error
