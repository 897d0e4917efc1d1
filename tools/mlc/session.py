"""The output of all commands: results, warnings and progress."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeVar, cast

import click

from mlc.frontends.errors import printable

R = TypeVar("R")

if TYPE_CHECKING:
    from rich.console import Console

Progress = Callable[[str, int, int], None]
_STAGES = {
    "import": "reading the model",
    "optimise": "optimising",
    "kernels": "compiling kernels",
    "prepare": "preparing weights",
}


@dataclass
class CommandSession:
    """The output options of a command. With `json` stdout holds one JSON object and nothing else."""

    json: bool = False
    quiet: bool = False
    verbose: bool = False
    traceback: bool = False

    def show(
        self, data: Mapping[str, Any], render: Callable[[Console], None], *, stderr: bool = False
    ) -> None:
        """Prints the result of a command: `data` as JSON, or by `render` as text."""
        if self.json:
            print(json.dumps(data, indent=1, default=str))
        elif not self.quiet:
            render(console(stderr=stderr))

    def warn(self, message: str) -> None:
        """Prints one line on stderr, with escapes for control characters of names."""
        if not self.quiet:
            print(f"mlc: warning: {printable(message)}", file=sys.stderr)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Yields a listener for the compiler's progress: a bar on stderr if that is a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda _stage, _done, _total: None
            return
        from rich import progress

        columns = [
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
        ]
        with progress.Progress(*columns, console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("starting", total=None)

            def listen(stage: str, done: int, total: int) -> None:
                """Updates the bar."""
                bar.update(task, description=_STAGES.get(stage, stage), completed=done, total=total or None)

            yield listen


def console(*, stderr: bool = False) -> Console:
    """Returns a console without markup; piped output is as wide as needed, without blanks at the ends of
    lines."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty():
        return Console(stderr=stderr, highlight=False, markup=False)
    return Console(file=cast("IO[str]", _Trimmed(stream)), highlight=False, markup=False, width=200)


class _Trimmed(io.TextIOBase):
    """Writes lines to a stream without the blanks that fill the columns of tables."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes without trailing blanks."""
        self.stream.write(re.sub(" +$", "", text, flags=re.MULTILINE))
        return len(text)

    def flush(self) -> None:
        """Flushes the stream."""
        self.stream.flush()


def output_options(function: Callable[..., R]) -> Callable[..., R]:
    """Adds --json, --quiet, --verbose and --traceback; the command gets the session as its first argument."""
    for names, text in (
        (("--traceback",), "Show Python's traceback of errors (as MLC_TRACEBACK=1 does)."),
        (("-v", "--verbose"), "Say more."),
        (("-q", "--quiet"), "Print errors only."),
        (("--json",), "Print one JSON object on stdout."),
    ):
        function = click.option(
            *names, is_flag=True, expose_value=False, callback=_set, is_eager=True, help=text
        )(function)
    return click.pass_obj(function)


def _set(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    session = ctx.find_object(CommandSession)
    if value and session is not None and parameter.name:
        setattr(session, parameter.name, True)
