"""mlc: compiles, runs and measures models.

Exit status: 0, 1 if something failed, 2 if the command line makes no sense, 130 after Ctrl-C.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from mlc.frontends.option_names import named_as_flags
from mlc.tools.command_line import close_matches
from mlc.tools.guard import Death, replace_closed_streams, run_guarded
from mlc.tools.mlc.error_messages import FAILURE, INTERRUPTED, report_failure
from mlc.tools.mlc.session import CommandSession

# Command -> "module:function"; the modules import nothing heavy before a command runs.
COMMANDS = {
    "compile": "mlc.tools.mlc.commands.compile:compile_command",
    "run": "mlc.tools.mlc.commands.run:run_command",
    "bench": "mlc.tools.mlc.commands.bench:bench_command",
    "profile": "mlc.tools.mlc.commands.profile:profile_command",
    "report": "mlc.tools.mlc.commands.report:report_command",
    "stats": "mlc.tools.mlc.commands.stats:stats_command",
    "fuzz": "mlc.tools.mlc.commands.fuzz:fuzz_command",
    "explain": "mlc.tools.mlc.commands.explain:explain_command",
    "doctor": "mlc.tools.mlc.commands.doctor:doctor_command",
    "cache": "mlc.tools.mlc.commands.cache:cache_command",
    "targets": "mlc.tools.mlc.commands.targets:targets_command",
    "completion": "mlc.tools.mlc.commands.completion:completion_command",
}


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Click's own suggestions see only commands that are imported."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            hint = close_matches(name, COMMANDS) or f"; there are {', '.join(COMMANDS)}"
            ctx.fail(f"No such command '{name}'{hint}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, function = COMMANDS[name].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from mlc.version import VERSION

        click.echo(f"mlc {VERSION}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def cli() -> None:
    """A machine-learning compiler: ONNX models to machine code."""


def guarded_main() -> int:
    """The entry point of the program: `main` in a child process, so that C++ cannot crash it."""
    replace_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of a model may have characters that the terminal's encoding lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    result = run_guarded(lambda _activity: main())
    if isinstance(result, Death):
        print(result.message("mlc"), file=sys.stderr)
        return FAILURE
    return result


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    session = CommandSession()
    try:
        with named_as_flags():
            status: Any = cli.main(arguments, prog_name="mlc", standalone_mode=False, obj=session)
        sys.stdout.flush()
    except click.UsageError as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        _abandon_stdout()
        return FAILURE
    except (click.Abort, KeyboardInterrupt):
        print("mlc: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        return report_failure(error, session)
    return status if isinstance(status, int) else 0


def _abandon_stdout() -> None:
    """Keeps the interpreter from a second attempt to flush what nobody reads."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(guarded_main())
