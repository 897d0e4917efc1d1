"""The program mlc-reduce: shrinks a failing input while a test finds it interesting.

Exit status: 0, 1 if the input is not interesting to begin with, 2 if the command line makes no sense, 130
after Ctrl-C; the best so far is written then too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Any

from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, UsageError, flag_help, refuse_unknown
from mlc.tools.reduce.flags import FLAGS
from mlc.tools.reduce.oracle import UNDECODABLE, Condition, Oracle, OutOfTests
from mlc.tools.sources import BYTECODE_MAGIC, InputSource, read_input, write_output
from mlc.tools.tool_program import FAILURE, SUCCESS, Tool, version_text
from mlc.tools.upstream_flags import MLIR_REDUCE_FLAGS

if TYPE_CHECKING:
    from mlc.tools.reduce.candidates import Workshop

_INTERRUPTED = 128 + signal.SIGINT
_SHELL_OPERATORS = ("|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1")

_USAGE = """OVERVIEW: shrinks a failing .mlir input while a test finds it interesting

USAGE: mlc-reduce [options] input.mlir --test=script.sh -o reduced.mlir
       mlc-reduce [options] input.mlir --test-command="mlc-opt --cse %s" --expect-stderr="crashed"

"""


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    # The reducer runs what may crash in children, and must itself survive to write the result.
    return Tool("mlc-reduce", FLAGS, _information, _run, isolate=False).main(arguments)


def _information(line: CommandLine, activity: Activity) -> str:
    if line.switch("version"):
        return version_text("mlc-reduce")
    return f"{_USAGE}{flag_help(FLAGS)}\n" if line.switch("help") else ""


def _run(line: CommandLine, activity: Activity) -> int:
    refuse_unknown(line, FLAGS, MLIR_REDUCE_FLAGS)
    if len(line.arguments) != 1:
        raise UsageError("one input file is needed: mlc-reduce input.mlir --test=script.sh")
    oracle = _oracle(line)
    name, raw = read_input(line.arguments[0])
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _reduce(line, oracle, name, raw)
    except KeyboardInterrupt:
        print("mlc-reduce: interrupted before anything was reduced", file=sys.stderr)
        return _INTERRUPTED


def _interrupt(received: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _reduce(line: CommandLine, oracle: Oracle, name: str, raw: bytes) -> int:
    from mlc.tools.reduce.candidates import Workshop

    workshop = Workshop(line.switch("allow-unregistered-dialect"))
    bytecode = raw.startswith(BYTECODE_MAGIC)
    text = workshop.normal(raw) if bytecode else raw.decode(errors=UNDECODABLE)
    if text is None:
        print(
            f"mlc-reduce: error: {name} is bytecode that cannot be read or does not verify", file=sys.stderr
        )
        return FAILURE
    if oracle.first_interesting([text]) is None:
        print(f"mlc-reduce: error: {name} is not interesting: {oracle.verdict}", file=sys.stderr)
        return FAILURE
    return _shrink(line, oracle, workshop, InputSource(name, text))


def _shrink(line: CommandLine, oracle: Oracle, workshop: Workshop, source: InputSource) -> int:
    from mlc.tools.reduce.document import read_document
    from mlc.tools.reduce.reducer import Reducer, count_of

    output = line.value("o", "-")

    def keep(text: str) -> None:
        """Writes a result to the output file."""
        write_output(output, text.encode(errors=UNDECODABLE))

    if output != "-":  # fails now, not after the search, if the file cannot be written
        keep(source.text)
    reducer = Reducer(
        source.text,
        read_document(source.name, source.text),
        oracle,
        workshop,
        line.switch("text"),
        keep if output != "-" else None,
    )
    before, status, why = reducer.size(), SUCCESS, ""
    try:
        # The parts put together again may differ from the input in blank lines or comments.
        if oracle.first_interesting([reducer.best.text()]) is not None:
            reducer.run()
    except OutOfTests:
        why = "; stopped by --max-tests"
    except KeyboardInterrupt:
        status, why = _INTERRUPTED, "; interrupted"
        print(file=sys.stderr)  # the terminal shows ^C where the line would begin
    keep(reducer.smallest)
    print(f"mlc-reduce: {before} -> {reducer.size()}; {count_of(oracle.tests, 'test')}{why}", file=sys.stderr)
    return status


def _oracle(line: CommandLine) -> Oracle:
    try:
        pattern = re.compile(line.value("expect-stderr")) if line.is_given("expect-stderr") else None
    except re.error as error:
        raise UsageError(f"--expect-stderr is not a regular expression: {error}") from error
    condition = Condition(
        line.count("expect-exit", 0) if line.is_given("expect-exit") else None,
        line.switch("expect-crash"),
        line.switch("expect-hang"),
        pattern,
    )
    jobs, most = line.count("jobs", 1, least=1), line.count("max-tests", 0)
    return Oracle(_command(line), condition, line.seconds("timeout", 60), jobs, most)


def _command(line: CommandLine) -> list[str]:
    """Returns the words of the test's command. Raises `UsageError`."""
    if line.is_given("test") == line.is_given("test-command"):
        raise UsageError("either --test=<program> or --test-command=<command> is needed")
    words = _words(line)
    program = words[0] if words else ""
    local = line.is_given("test") and os.path.exists(program)
    found = shutil.which(os.path.abspath(program) if local else program)
    if found is None:
        cause = "is not executable" if os.path.exists(program) else "is not there"
        raise UsageError(f"the test '{program}' {cause}")
    return [found, *words[1:]]


def _words(line: CommandLine) -> list[str]:
    arguments = line.values.get("test-arg", [])
    if line.is_given("test"):
        return [line.value("test"), *arguments]
    if arguments:
        raise UsageError("--test-arg goes with --test; --test-command holds its arguments")
    try:
        words = shlex.split(line.value("test-command"))
    except ValueError as error:
        raise UsageError(f"--test-command: {error}") from error
    operators = [word for word in words if word in _SHELL_OPERATORS]
    if operators:
        raise UsageError(
            f"no shell runs --test-command: put what needs '{operators[0]}' into a script for --test"
        )
    return words


if __name__ == "__main__":
    sys.exit(main())
