"""Processes one chunk of input of mlc-opt: parses, runs the pipeline, prints."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.grammar import NestedElements
from mlc.pipelines.instrumentation import Instrumentation, Instrumentations
from mlc.pipelines.pass_error import PassRunError
from mlc.pipelines.reproducer import reproducer_text, write_reproducer
from mlc.tools.child_activity import Activity
from mlc.tools.chunks import process_chunk
from mlc.tools.opt.output import OutputOptions, RoundtripError, serialize, verify_roundtrip
from mlc.tools.opt.pipeline_watchers import Watchers
from mlc.tools.opt.reproducers import LocalReproducer
from mlc.tools.opt.rerun_command import rerun_hint
from mlc.tools.parsing import InputOptions, make_context, parse
from mlc.tools.pass_announcer import Announcer
from mlc.tools.reporter import DiagnosticOptions, Reporter
from mlc.tools.sources import Chunk

# Inputs of passes that failed, kept to the end: what a pass erased must not be freed again.
_failed: list[ir.Module | ir.OpView] = []


@dataclass
class OptSession:
    """The options of the command line. `watchers` sum over chunks.

    `nest_fits_root` holds for a pipeline from pass flags, which runs on an input op of any name.
    """

    nest: NestedElements
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
    rerun_flags: str = ""
    traceback: bool = False


def process(chunk: Chunk, session: OptSession, activity: Activity) -> tuple[bytes, bool]:
    """Returns the output for one chunk, and whether it succeeded. Messages go to stderr."""

    def work(chunk: Chunk, reporter: Reporter) -> bytes | None:
        """Transforms the chunk; returns None after an error, which is reported."""
        try:
            return _transform(chunk, session, reporter, activity)
        except RoundtripError as error:
            reporter.diagnostic(error.diagnostic)
        except PassRunError as error:
            _report(error, session)
        return None

    return process_chunk(chunk, session.diagnostics, work)


def _transform(chunk: Chunk, session: OptSession, reporter: Reporter, activity: Activity) -> bytes:
    # The input as it is: bytecode alone, text with its pipeline.
    activity.leave(chunk.raw if chunk.is_bytecode else _reproducer(chunk.source.text, session.nest, session))
    context = make_context(session.input, chunk.raw, reporter.diagnostic, activity)
    activity.begin(f"{chunk.source.name}: error: the parser")
    with session.watchers.phase("Parser"):
        parsed = parse(chunk, session.input, context, reporter.diagnostic)
    root = parsed.operation
    nest = NestedElements(root.name, session.nest.elements) if session.nest_fits_root else session.nest
    if chunk.is_bytecode or nest != session.nest:
        activity.leave(_reproducer(root if chunk.is_bytecode else chunk.source.text, nest, session))
    if session.verify_roundtrip:
        activity.begin(f"{chunk.source.name}: error: --verify-roundtrip")
        verify_roundtrip(root, session.input)
    try:
        _run_passes(root, nest, session, reporter, activity)
    except PassRunError:
        _failed.append(parsed)
        raise
    activity.begin(f"{chunk.source.name}: error: printing")
    with session.watchers.phase("Output"):
        return serialize(root, session.output)


def _reproducer(ir_or_text: ir.Operation | str, nest: NestedElements, session: OptSession) -> bytes:
    return reproducer_text(ir_or_text, str(nest), session.verify_each, session.rerun_flags).encode()


def _run_passes(
    root: ir.Operation, nest: NestedElements, session: OptSession, reporter: Reporter, activity: Activity
) -> None:
    if session.generated_reproducer:
        with activity.waiting():
            write_reproducer(
                session.generated_reproducer, root, str(nest), session.verify_each, session.rerun_flags
            )
    run_pipeline(
        nest,
        root,
        Instrumentations(list(_watchers(session, reporter, activity))),
        verify_each=session.verify_each,
        reproducer=None if session.local_reproducer else session.crash_reproducer,
        reproducer_flags=session.rerun_flags,
    )


def _watchers(session: OptSession, reporter: Reporter, activity: Activity) -> list[Instrumentation]:
    watchers: list[Instrumentation | None] = [Announcer(activity)]
    if session.local_reproducer and session.crash_reproducer:
        watchers.append(
            LocalReproducer(session.crash_reproducer, session.verify_each, activity, session.rerun_flags)
        )
    watchers += [*session.watchers.parts, reporter]
    return [watcher for watcher in watchers if watcher]


def _report(error: PassRunError, session: OptSession) -> None:
    """Reports the pass that failed and its op; the diagnostics were shown when they were emitted."""
    if session.traceback and error.__cause__ is not None:
        traceback.print_exception(error.__cause__)
    if session.diagnostics.expected is not None:
        return
    hint = " (--mlc-traceback shows where)" if error.crashed and not session.traceback else ""
    print(f"mlc-opt: error: {error.summary}{hint}", file=sys.stderr)
    reproducer = session.crash_reproducer if session.local_reproducer else error.reproducer
    if reproducer:
        print(rerun_hint(str(reproducer), session.rerun_flags), file=sys.stderr)
