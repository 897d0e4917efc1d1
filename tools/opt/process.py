"""One chunk of input through mlc-opt: parse, run the pipeline, print."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.bindings.diagnostics import DiagnosticsError
from mlc.pipelines.driver import PassError, run_pipeline
from mlc.pipelines.grammar import Nest
from mlc.pipelines.instrumentation import Instrumentation, Instrumentations
from mlc.pipelines.reproducer import reproducer_text, write_reproducer
from mlc.tools.announcer import Announcer
from mlc.tools.guard import Activity
from mlc.tools.opt.listeners import DiagnosticOptions, Listener, LocalReproducer
from mlc.tools.opt.output import OutputOptions, RoundtripError, serialize, verify_roundtrip
from mlc.tools.opt.parsing import InputOptions, make_context, parse
from mlc.tools.opt.watchers import Watchers
from mlc.tools.sources import Chunk


# Inputs of passes that failed, kept to the end: what a pass erased must not be freed again.
_failed: list[ir.Module | ir.OpView] = []


@dataclass
class Session:
    """What the command line asks for. `watchers` sum over chunks.

    `nest_fits_root` holds for a pipeline from pass flags, which runs on whatever op the input is.
    """

    nest: Nest
    output: OutputOptions
    input: InputOptions = field(default_factory=InputOptions)
    diagnostics: DiagnosticOptions = field(default_factory=DiagnosticOptions)
    nest_fits_root: bool = False
    watchers: Watchers = field(default_factory=Watchers)
    verify_each: bool = True
    verify_roundtrip: bool = False
    crash_reproducer: str | None = None
    local_reproducer: bool = False
    generated_reproducer: str | None = None
    traceback: bool = False


def process(chunk: Chunk, session: Session, activity: Activity) -> tuple[bytes, bool]:
    """The output for one chunk, and whether it went well. Messages go to stderr."""
    listener = Listener(chunk.source, session.diagnostics)
    output, succeeded = b"", False
    try:
        output, succeeded = _transform(chunk, session, listener, activity), True
    except DiagnosticsError as error:
        if not error.diagnostics:
            print(f"mlc-opt: error: {error.summary}", file=sys.stderr)
    except RoundtripError as error:
        listener.diagnostic(error.diagnostic)
    except PassError as error:
        _report(error, session)
    if listener.expected:
        succeeded = listener.expected.finish()
    return output, succeeded


def _transform(chunk: Chunk, session: Session, listener: Listener, activity: Activity) -> bytes:
    _leave_reproducer(chunk, session, activity)
    activity.begin(f"{chunk.source.name}: error: the parser")
    context = make_context(session.input, chunk.raw, listener.diagnostic)
    with session.watchers.phase("Parser"):
        parsed = parse(chunk, session.input, context, listener.diagnostic)
    root = parsed.operation
    if chunk.is_bytecode:
        activity.leave(reproducer_text(root, str(session.nest), session.verify_each).encode())
    if session.verify_roundtrip:
        activity.begin(f"{chunk.source.name}: error: --verify-roundtrip")
        verify_roundtrip(root, session.input)
    try:
        _run_passes(root, session, listener, activity)
    except PassError:
        _failed.append(parsed)
        raise
    activity.begin(f"{chunk.source.name}: error: printing")
    with session.watchers.phase("Output"):
        return serialize(root, session.output)


def _leave_reproducer(chunk: Chunk, session: Session, activity: Activity) -> None:
    """What is kept if C++ crashes: the input as it is, with the pipeline if it is text."""
    text = chunk.source.text
    activity.leave(
        chunk.raw
        if chunk.is_bytecode
        else reproducer_text(text, str(session.nest), session.verify_each).encode()
    )


def _run_passes(root: ir.Operation, session: Session, listener: Listener, activity: Activity) -> None:
    nest = Nest(root.name, session.nest.elements) if session.nest_fits_root else session.nest
    if session.generated_reproducer:
        write_reproducer(session.generated_reproducer, root, str(nest), session.verify_each)
    run_pipeline(
        nest,
        root,
        Instrumentations(list(_watchers(session, listener, activity))),
        verify_each=session.verify_each,
        reproducer=None if session.local_reproducer else session.crash_reproducer,
    )


def _watchers(session: Session, listener: Listener, activity: Activity) -> list[Instrumentation]:
    watchers: list[Instrumentation | None] = [Announcer(activity)]
    if session.local_reproducer and session.crash_reproducer:
        watchers.append(LocalReproducer(session.crash_reproducer, session.verify_each, activity))
    watchers += [*session.watchers.parts, listener]
    return [each for each in watchers if each]


def _report(error: PassError, session: Session) -> None:
    """Says which pass failed on what; the diagnostics were shown when they were emitted."""
    if session.traceback and error.__cause__ is not None:
        traceback.print_exception(error.__cause__)
    if session.diagnostics.expected is not None:
        return
    hint = " (--mlc-traceback shows where)" if error.crashed and not session.traceback else ""
    print(f"mlc-opt: error: {error.summary}{hint}", file=sys.stderr)
    reproducer = session.crash_reproducer if session.local_reproducer else error.reproducer
    if reproducer:
        print(f"mlc-opt: reproducer written to {reproducer}", file=sys.stderr)
