"""The base of tools with LLVM's command-line style: guarded work, error messages, exit statuses."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, Flag, UsageError, parse_command_line
from mlc.tools.guard import Death, replace_closed_streams, run_guarded
from mlc.tools.sources import write_output

SUCCESS, FAILURE, USAGE = 0, 1, 2

_STEP_TIMEOUT = 60.0


def version_text(tool: str) -> str:
    """Returns the version of `tool`, which is that of mlc, and of the MLIR wheel."""
    from mlc.bindings.wheel import wheel_version
    from mlc.version import VERSION

    return f"{tool} {VERSION} (upstream MLIR from torch-mlir {wheel_version()})\n"


def _nothing(line: CommandLine, death: Death) -> None:
    pass


@dataclass(frozen=True)
class Tool:
    """A tool. `information` returns the text that is printed instead of working, of --help say, or "".

    Both run in a child process; `work` returns the exit status. `crashed` is called after the message about
    the child's death. All may raise `UsageError` and `OSError`.
    """

    name: str
    flags: tuple[Flag, ...]
    information: Callable[[CommandLine, Activity], str]
    work: Callable[[CommandLine, Activity], int]
    crashed: Callable[[CommandLine, Death], None] = _nothing
    # False for tools that run what may crash in their own children.
    isolate: bool = True

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """The entry point: prints errors and returns the exit status."""
        given = sys.argv[1:] if arguments is None else list(arguments)
        replace_closed_streams()
        return self._reporting(lambda: self._run(given), show_traceback="--mlc-traceback" in given)

    def _run(self, arguments: list[str]) -> int:
        _refuse_undecodable(arguments)
        line = parse_command_line(arguments, self.flags)
        limit, show_traceback = line.seconds("mlc-step-timeout", _STEP_TIMEOUT), line.switch("mlc-traceback")

        def work(activity: Activity) -> int:
            """Runs the tool in the child."""
            return self._reporting(lambda: self._inform_or_work(line, activity), show_traceback)

        if not line.switch("mlc-isolate", default=self.isolate):
            return work(Activity())
        result = run_guarded(work, limit=limit)
        if isinstance(result, int):
            return result
        print(result.message(self.name), file=sys.stderr)
        self.crashed(line, result)
        return FAILURE

    def _inform_or_work(self, line: CommandLine, activity: Activity) -> int:
        text = self.information(line, activity)
        if not text:
            return self.work(line, activity)
        write_output("-", text)
        return SUCCESS

    def _reporting(self, work: Callable[[], int], show_traceback: bool) -> int:
        try:
            return work()
        except UsageError as error:
            self._say(f"error: {error}", "--help lists all flags")
            return USAGE
        except BrokenPipeError:
            pass  # `mlc-opt ... | head`: the reader has what it wanted
        except OSError as error:
            self._say(f"error: {error.filename or 'output'}: {error.strerror or error}")
        except MemoryError:
            self._say("error: out of memory")
        except (Exception, SystemExit) as error:
            self._say(f"internal error: {type(error).__name__}: {error}")
            if show_traceback:
                traceback.print_exception(error)
            else:
                self._say("--mlc-traceback shows where")
        return FAILURE

    def _say(self, *messages: str) -> None:
        print("\n".join(f"{self.name}: {message}" for message in messages), file=sys.stderr)


def _refuse_undecodable(arguments: list[str]) -> None:
    """Raises UsageError for arguments that are not UTF-8, which Python reads as lone surrogates: neither MLIR
    nor a message can contain them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise UsageError(f"argument {argument!a} is not valid UTF-8") from None
