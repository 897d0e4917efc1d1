"""mlc-translate: between MLIR and what is not MLIR, with mlir-translate's command line.

Exit status: 0, 1 if the input cannot be translated, 2 if the command line makes no sense.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from mlc.tools.command_line import CommandLine, UsageError, flag_help, parse_command_line, unknown_flag
from mlc.tools.sources import SPLIT_MARKER, chunks_of, read_input, write_output
from mlc.tools.translate.errors import TranslationError
from mlc.tools.translate.flags import FLAGS, TRANSLATIONS, WHOLE_FILE, chosen_translation
from mlc.version import VERSION

if TYPE_CHECKING:
    from mlc.tools.translate.process import Translate

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
    name, path = chosen_translation(line), line.arguments[0] if line.arguments else "-"
    module, _, function = TRANSLATIONS[name].partition(":")
    translation = getattr(import_module(module), function)
    if name in WHOLE_FILE:
        translation(line, path)
        return SUCCESS
    return _export(line, translation(line), path)


def _export(line: CommandLine, translate: Translate, path: str) -> int:
    """Translates every chunk of the input; the command line is checked before it is read."""
    from mlc.tools.translate.process import make_session, process

    session = make_session(line, translate)
    marker = line.value("split-input-file") or SPLIT_MARKER
    chunks = chunks_of(*read_input(path), marker if line.given("split-input-file") else None)
    results = [process(chunk, session) for chunk in chunks]
    succeeded = all(went_well for _, went_well in results)
    output = line.value("o", "-")
    if succeeded or output == "-":
        separator = f"{line.value('output-split-marker')}\n".encode()
        write_output(output, separator.join(text for text, _ in results))
    return SUCCESS if succeeded else FAILURE


if __name__ == "__main__":
    sys.exit(main())
