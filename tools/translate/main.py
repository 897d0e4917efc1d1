"""mlc-translate: between MLIR and what is not MLIR, with mlir-translate's command line.

Exit status: 0, 1 if the input cannot be translated, 2 if the command line makes no sense.
"""

from __future__ import annotations

import sys
from importlib import import_module

from mlc.tools.command_line import CommandLine, UsageError, flag_help, parse_command_line, unknown_flag
from mlc.tools.sources import write_output
from mlc.tools.translate.errors import TranslationError
from mlc.tools.translate.flags import FLAGS, TRANSLATIONS
from mlc.version import VERSION

SUCCESS, FAILURE, USAGE = 0, 1, 2

_USAGE = """OVERVIEW: mlc's translator between MLIR and other formats

USAGE: mlc-translate --<translation> [options] [file]        without a file, or with '-', reads stdin

OPTIONS:
"""


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    try:
        line = parse_command_line(sys.argv[1:] if arguments is None else arguments, FLAGS)
        return _run(line)
    except UsageError as error:
        print(f"mlc-translate: error: {error}\nmlc-translate: --help lists all flags", file=sys.stderr)
        return USAGE
    except TranslationError as error:
        print(f"mlc-translate: error: {error}", file=sys.stderr)
        return FAILURE
    except OSError as error:
        print(f"mlc-translate: error: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return FAILURE


def _run(line: CommandLine) -> int:
    if line.switch("help"):
        write_output("-", f"{_USAGE}{flag_help(FLAGS)}\n")
        return SUCCESS
    if line.switch("version"):
        write_output("-", f"mlc-translate {VERSION}\n")
        return SUCCESS
    if line.others:
        raise unknown_flag(line.others[0][2], [flag.name for flag in FLAGS])
    if len(line.arguments) > 1:
        raise UsageError(f"one input file at most, but got {', '.join(line.arguments)}")
    chosen = [name for name in TRANSLATIONS if line.switch(name)]
    if len(chosen) != 1:
        listed = ", ".join(f"--{name}" for name in TRANSLATIONS)
        raise UsageError(f"exactly one translation must be given: one of {listed}")
    module, _, function = TRANSLATIONS[chosen[0]].partition(":")
    getattr(import_module(module), function)(line, line.arguments[0] if line.arguments else "-")
    return SUCCESS


if __name__ == "__main__":
    sys.exit(main())
