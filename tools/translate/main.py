"""mlc-translate: between MLIR and what is not MLIR, with mlir-translate's command line.

Exit status: 0, 1 if the input cannot be translated, 2 if the command line makes no sense.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, UsageError, flag_help, unknown_flag
from mlc.tools.sources import SPLIT_MARKER, chunks_of, read_input, write_output
from mlc.tools.tool_program import FAILURE, SUCCESS, Program
from mlc.tools.translate.errors import TranslationError
from mlc.tools.translate.flags import FLAGS, TRANSLATIONS, WHOLE_FILE, chosen_translation
from mlc.tools.translate.mlir_translate_flags import MLIR_TRANSLATE_FLAGS
from mlc.version import VERSION

if TYPE_CHECKING:
    from mlc.tools.translate.process import Translate

_USAGE = """OVERVIEW: mlc's translator between MLIR and other formats

USAGE: mlc-translate --<translation> [options] [file]        without a file, or with '-', reads stdin

OPTIONS:
"""


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    return Program("mlc-translate", FLAGS, _information, _work).main(arguments)


def _information(line: CommandLine, activity: Activity) -> str:
    if line.switch("help"):
        return f"{_USAGE}{flag_help(FLAGS)}\n"
    return f"mlc-translate {VERSION}\n" if line.switch("version") else ""


def _work(line: CommandLine, activity: Activity) -> int:
    try:
        return _run(line, activity)
    except TranslationError as error:
        print(f"mlc-translate: error: {error}", file=sys.stderr)
        return FAILURE


def _run(line: CommandLine, activity: Activity) -> int:
    if line.others:
        raise unknown_flag(line.others[0][2], [flag.name for flag in FLAGS], MLIR_TRANSLATE_FLAGS)
    if len(line.arguments) > 1:
        raise UsageError(f"one input file at most, but got {', '.join(line.arguments)}")
    name, path = chosen_translation(line), line.arguments[0] if line.arguments else "-"
    module, _, function = TRANSLATIONS[name].partition(":")
    translation = getattr(import_module(module), function)
    if name in WHOLE_FILE:
        translation(line, path, activity)
        return SUCCESS
    return _export(line, translation(line), path, activity)


def _export(line: CommandLine, translate: Translate, path: str, activity: Activity) -> int:
    """Translates every chunk of the input; the command line is checked before it is read."""
    from mlc.tools.translate.process import make_session, process

    session = make_session(line, translate)
    marker = line.value("split-input-file") or SPLIT_MARKER
    name, raw = read_input(path)
    activity.begin(f"{name}: error: reading the input")
    chunks = chunks_of(name, raw, marker if line.given("split-input-file") else None)
    results = [process(chunk, session, activity) for chunk in chunks]
    succeeded = all(went_well for _, went_well in results)
    output = line.value("o", "-")
    if succeeded or output == "-":
        separator = f"{line.value('output-split-marker')}\n".encode()
        write_output(output, separator.join(text for text, _ in results))
    return SUCCESS if succeeded else FAILURE


if __name__ == "__main__":
    sys.exit(main())
