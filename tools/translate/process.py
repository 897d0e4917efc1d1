"""Processes one chunk of input of mlc-translate: parses, translates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mlc.bindings import Diagnostic, ir
from mlc.bindings.parsing import Listener
from mlc.codegen.errors import CodegenError
from mlc.tools.child_activity import Activity
from mlc.tools.chunks import process_chunk
from mlc.tools.command_line import CommandLine
from mlc.tools.parsing import InputOptions, input_options, make_context, parse
from mlc.tools.reporter import DiagnosticOptions, Reporter, diagnostic_options
from mlc.tools.sources import Chunk
from mlc.tools.translate.errors import TranslationError

# Returns the output for an op. Raises `DiagnosticsError`, whose diagnostics the listener got before,
# `TranslationError` and `CodegenError`.
Translate = Callable[[ir.Operation, Listener], bytes]


@dataclass(frozen=True)
class TranslateSession:
    """The options of the command line."""

    translate: Translate
    input: InputOptions
    diagnostics: DiagnosticOptions


def make_session(line: CommandLine, translate: Translate) -> TranslateSession:
    """Returns the session that the flags describe. Raises `UsageError`."""
    return TranslateSession(translate, input_options(line), diagnostic_options(line))


def process(chunk: Chunk, session: TranslateSession, activity: Activity) -> tuple[bytes, bool]:
    """Returns the output for one chunk, and whether it succeeded. Messages go to stderr."""
    return process_chunk(chunk, session.diagnostics, partial(_translate, session, activity))


def _translate(
    session: TranslateSession, activity: Activity, chunk: Chunk, reporter: Reporter
) -> bytes | None:
    activity.begin(f"{chunk.source.name}: error: the parser")
    context = make_context(session.input, chunk.raw, reporter.diagnostic)
    parsed = parse(chunk, session.input, context, reporter.diagnostic)
    activity.begin(f"{chunk.source.name}: error: the translation")
    try:
        return session.translate(parsed.operation, reporter.diagnostic)
    except (TranslationError, CodegenError) as error:
        # Reported here, while the context lives that the location belongs to.
        reporter.diagnostic(Diagnostic("error", str(error), parsed.operation.location))
        return None
