"""The work of the tools on MLIR input: chunk by chunk, with its diagnostics reported, to one output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError
from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine
from mlc.tools.reporter import DiagnosticOptions, Reporter
from mlc.tools.sources import SPLIT_MARKER, Chunk, chunks_of, read_input, write_output
from mlc.tools.tool_program import FAILURE, SUCCESS

# From a chunk to its output; None for a failure that was reported. May raise `DiagnosticsError`, whose
# diagnostics the reporter has seen.
Work = Callable[[Chunk, Reporter], bytes | None]


def read_chunks(line: CommandLine, path: str, activity: Activity) -> list[Chunk]:
    """The chunks of the input at `path`: one without --split-input-file. Raises `OSError`."""
    name, raw = read_input(path)
    activity.begin(f"{name}: error: reading the input")
    marker = line.value("split-input-file") or SPLIT_MARKER
    return chunks_of(name, raw, marker if line.is_given("split-input-file") else None)


def process_chunk(chunk: Chunk, options: DiagnosticOptions, work: Work) -> tuple[bytes, bool]:
    """The output for one chunk, and whether it went well. Messages go to stderr."""
    reporter = Reporter(chunk.source, options)
    output = None
    try:
        output = work(chunk, reporter)
    except DiagnosticsError as error:
        if not error.diagnostics:
            reporter.diagnostic(Diagnostic("error", error.summary, None))
    succeeded = output is not None
    if reporter.expected:
        succeeded = reporter.expected.finish()
    return output or b"", succeeded


def write_results(line: CommandLine, results: Sequence[tuple[bytes, bool]], separator: str) -> int:
    """Writes the output of all chunks to the file of -o or to stdout, and returns the exit status.

    `separator` is written on a line between two outputs unless --output-split-marker names another. Where a
    chunk failed, a file is left as it is. Raises `OSError`.
    """
    succeeded = all(went_well for _, went_well in results)
    path = line.value("o", "-")
    if succeeded or path == "-":
        marker = f"{line.value('output-split-marker', separator)}\n".encode()
        write_output(path, marker.join(output for output, _ in results))
    return SUCCESS if succeeded else FAILURE
