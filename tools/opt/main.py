"""mlc-opt: runs passes, ours and upstream's, over MLIR text, with mlir-opt's command line.

Exit status: 0, 1 if the input, a pass or an expectation failed, 2 if the command line makes no sense.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mlc.tools.command_line import CommandLine, UsageError, parse_command_line
from mlc.tools.opt.flags import FLAGS
from mlc.tools.sources import BYTECODE_MAGIC, SPLIT_MARKER, Source, read_input, split_source, write_output

if TYPE_CHECKING:
    from mlc.tools.opt.process import Session

SUCCESS, FAILURE, USAGE = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    try:
        line = parse_command_line(sys.argv[1:] if arguments is None else arguments, FLAGS)
        if text := _information(line):
            write_output("-", text)
            return SUCCESS
        return _run(line)
    except UsageError as error:
        print(f"mlc-opt: {error}\nmlc-opt: --help lists all flags and passes", file=sys.stderr)
        return USAGE
    except OSError as error:
        print(f"mlc-opt: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return FAILURE


def _information(line: CommandLine) -> str:
    """The text of `--version`, `--help` or `--list-passes`; only these are free of heavy imports."""
    if not any(line.switch(name) for name in ("version", "help", "list-passes")):
        return ""
    from mlc.tools.opt import help

    if line.switch("version"):
        return help.version_text()
    _load_plugins(line)
    return help.help_text() if line.switch("help") else help.list_text()


def _load_plugins(line: CommandLine) -> None:
    from mlc.passes.registry import PluginError, load_plugin

    for path in line.values.get("load-plugin", []):
        try:
            load_plugin(path)
        except PluginError as error:
            raise UsageError(str(error)) from error


def _run(line: CommandLine) -> int:
    from mlc.pipelines.grammar import PipelineError
    from mlc.tools.opt.process import process
    from mlc.tools.opt.timing import print_timing

    if len(line.arguments) > 1:
        raise UsageError(f"one input file at most, but got {', '.join(line.arguments)}")
    _load_plugins(line)
    output, succeeded = [], True
    try:
        session, source, raw = _prepare(line)
        for chunk, data in _chunks(line, source, raw):
            text, went_well = process(chunk, data, session)
            output.append(text)
            succeeded &= went_well
    except PipelineError as error:
        raise UsageError(str(error)) from error
    if succeeded or line.value("o", "-") == "-":
        write_output(line.value("o", "-"), _separator(line).join(output))
    if session.timing:
        print_timing(session.timing, session.seconds, sys.stderr)
    return SUCCESS if succeeded else FAILURE


def _prepare(line: CommandLine) -> tuple[Session, Source, bytes]:
    """Reads the input after the command line was checked, as a user at a terminal expects."""
    from mlc.pipelines.reproducer import read_reproducer
    from mlc.tools.opt.session import make_session

    path = line.arguments[0] if line.arguments else "-"
    if not line.switch("run-reproducer"):
        session = make_session(line)
        name, raw = read_input(path)
        return session, Source(name, raw.decode(errors="replace")), raw
    name, raw = read_input(path)
    reproducer = read_reproducer(raw.decode(errors="replace"))
    if reproducer is None:
        raise UsageError(f"{name} holds no reproducer: no mlir_reproducer with a pipeline at its end")
    session = make_session(line, reproducer.pipeline)
    session.verify_each &= reproducer.verify_each
    return session, Source(name, reproducer.text), reproducer.text.encode()


def _chunks(line: CommandLine, source: Source, raw: bytes) -> list[tuple[Source, bytes]]:
    if not line.given("split-input-file") or raw.startswith(BYTECODE_MAGIC):
        return [(source, raw)]
    marker = line.value("split-input-file") or SPLIT_MARKER
    return [(chunk, chunk.text.encode()) for chunk in split_source(source, marker)]


def _separator(line: CommandLine) -> str:
    return f"{line.value('output-split-marker', SPLIT_MARKER)}\n"


if __name__ == "__main__":
    sys.exit(main())
