"""mlc-opt: runs passes, ours and upstream's, over MLIR text, with mlir-opt's command line.

Exit status: 0, 1 if the input, a pass or an expectation failed, 2 if the command line makes no sense.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.guard import Death
from mlc.tools.opt.flags import FLAGS
from mlc.tools.opt.plugins import load_plugins
from mlc.tools.sources import BYTECODE_MAGIC, SPLIT_MARKER, Chunk, chunks_of, read_input, write_output
from mlc.tools.tool_program import FAILURE, SUCCESS, Program

if TYPE_CHECKING:
    from mlc.tools.opt.process import OptSession


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    return Program("mlc-opt", FLAGS, _information, _run, _keep_reproducer).main(arguments)


def _information(line: CommandLine, activity: Activity) -> str:
    """The text of `--version`, `--help` and the like; nothing here loads MLIR but `--show-dialects`."""
    if not any(line.switch(name) for name in ("version", "help", "h", "list-passes", "show-dialects")):
        return ""
    from mlc.tools.opt import help

    if line.switch("version"):
        return help.version_text()
    if line.switch("show-dialects"):
        return help.dialects_text()
    load_plugins(line, activity)
    return help.help_text() if line.switch("help") or line.switch("h") else help.list_text()


def _run(line: CommandLine, activity: Activity) -> int:
    from mlc.pipelines.grammar import PipelineError
    from mlc.tools.opt.process import process

    if len(line.arguments) > 1:
        raise UsageError(f"one input file at most, but got {', '.join(line.arguments)}")
    load_plugins(line, activity)
    output, succeeded = [], True
    try:
        session, chunks = _prepare(line, activity)
        for chunk in chunks:
            text, went_well = process(chunk, session, activity)
            output.append(text)
            succeeded &= went_well
    except PipelineError as error:
        raise UsageError(str(error)) from error
    activity.begin("mlc-opt: error: writing the output")
    if succeeded or line.value("o", "-") == "-":
        write_output(line.value("o", "-"), _separator(line).join(output))
    session.watchers.report()
    return SUCCESS if succeeded else FAILURE


def _prepare(line: CommandLine, activity: Activity) -> tuple[OptSession, list[Chunk]]:
    """Reads the input after the command line was checked, as a user at a terminal expects."""
    from mlc.pipelines.reproducer import read_reproducer
    from mlc.tools.opt.session import make_session

    path = line.arguments[0] if line.arguments else "-"
    reproduced = line.switch("run-reproducer")
    session = None if reproduced else make_session(line)
    name, raw = read_input(path)
    activity.begin(f"{name}: error: reading the input")
    if session is not None:
        marker = line.value("split-input-file") or SPLIT_MARKER
        return session, chunks_of(name, raw, marker if line.given("split-input-file") else None)
    reproducer = read_reproducer(raw.decode(errors="replace"))
    if reproducer is None:
        raise UsageError(f"{name} holds no reproducer: no mlir_reproducer with a pipeline at its end")
    session = make_session(line, reproducer.pipeline)
    session.verify_each &= reproducer.verify_each
    return session, chunks_of(name, reproducer.text.encode())


def _separator(line: CommandLine) -> bytes:
    return f"{line.value('output-split-marker', SPLIT_MARKER)}\n".encode()


def _keep_reproducer(line: CommandLine, death: Death) -> None:
    """Keeps the reproducer that the child left, under a name that is asked for or new."""
    from mlc.tools.opt.crash_reproducer import keep_reproducer
    from mlc.tools.opt.rerun_command import rerun_flags, rerun_hint

    wanted = line.value("mlir-pass-pipeline-crash-reproducer")
    if line.switch("run-reproducer") and not wanted:
        return  # the input is one
    path = keep_reproducer(death, wanted)
    if path and death.reproducer.startswith(BYTECODE_MAGIC):
        print(f"mlc-opt: the input is kept in {path}", file=sys.stderr)
    elif path:
        print(rerun_hint(path, rerun_flags(line)), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
