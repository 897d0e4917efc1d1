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
from mlc.tools.sources import BYTECODE_MAGIC, SPLIT_MARKER, Chunk, chunks_of, read_input
from mlc.tools.tool_program import Tool, version_text

if TYPE_CHECKING:
    from mlc.tools.opt.process import OptSession


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    return Tool("mlc-opt", FLAGS, _information, _run, _keep_reproducer).main(arguments)


def _information(line: CommandLine, activity: Activity) -> str:
    """The text of `--version`, `--help` and the like; nothing here loads MLIR but `--show-dialects`."""
    if not any(line.switch(name) for name in ("version", "help", "h", "list-passes", "show-dialects")):
        return ""
    from mlc.tools.opt import help

    if line.switch("version"):
        return version_text("mlc-opt")
    if line.switch("show-dialects"):
        return help.dialects_text()
    load_plugins(line, activity)
    return help.help_text() if line.switch("help") or line.switch("h") else help.list_text()


def _run(line: CommandLine, activity: Activity) -> int:
    from mlc.pipelines.grammar import PipelineError
    from mlc.tools.chunks import write_results
    from mlc.tools.opt.process import process

    path = line.input_path()
    load_plugins(line, activity)
    try:
        session, chunks = _prepare(line, path, activity)
        results = [process(chunk, session, activity) for chunk in chunks]
    except PipelineError as error:
        raise UsageError(str(error)) from error
    activity.begin("mlc-opt: error: writing the output")
    status = write_results(line, results, SPLIT_MARKER)
    session.watchers.report()
    return status


def _prepare(line: CommandLine, path: str, activity: Activity) -> tuple[OptSession, list[Chunk]]:
    """Reads the input after the command line was checked, as a user at a terminal expects."""
    from mlc.pipelines.reproducer import read_reproducer
    from mlc.tools.chunks import read_chunks
    from mlc.tools.opt.session import make_session

    if not line.switch("run-reproducer"):
        return make_session(line), read_chunks(line, path, activity)
    name, raw = read_input(path)
    activity.begin(f"{name}: error: reading the input")
    reproducer = read_reproducer(raw.decode(errors="replace"))
    if reproducer is None:
        raise UsageError(f"{name} holds no reproducer: no mlir_reproducer with a pipeline at its end")
    session = make_session(line, reproducer.pipeline)
    session.verify_each &= reproducer.verify_each
    return session, chunks_of(name, reproducer.text.encode())


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
