"""mlc-translate: between MLIR and what is not MLIR, with mlir-translate's command line.

Exit status: 0, 1 if the input cannot be translated, 2 if the command line makes no sense.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, flag_help, refuse_unknown
from mlc.tools.tool_program import FAILURE, SUCCESS, Tool, version_text
from mlc.tools.translate.errors import TranslationError
from mlc.tools.translate.flags import FLAGS, TRANSLATIONS, WHOLE_FILE, chosen_translation
from mlc.tools.upstream_flags import MLIR_TRANSLATE_FLAGS

if TYPE_CHECKING:
    from mlc.tools.translate.process import Translate

_USAGE = """OVERVIEW: mlc's translator between MLIR and other formats

USAGE: mlc-translate --<translation> [options] [file]        without a file, or with '-', reads stdin

OPTIONS:
"""


def main(arguments: list[str] | None = None) -> int:
    """The entry point; returns the exit status."""
    return Tool("mlc-translate", FLAGS, _information, _work).main(arguments)


def _information(line: CommandLine, activity: Activity) -> str:
    if line.switch("help"):
        return f"{_USAGE}{flag_help(FLAGS)}\n"
    return version_text("mlc-translate") if line.switch("version") else ""


def _work(line: CommandLine, activity: Activity) -> int:
    try:
        return _run(line, activity)
    except TranslationError as error:
        print(f"mlc-translate: error: {error}", file=sys.stderr)
        return FAILURE


def _run(line: CommandLine, activity: Activity) -> int:
    refuse_unknown(line, FLAGS, MLIR_TRANSLATE_FLAGS)
    path, name = line.input_path(), chosen_translation(line)
    module, _, function = TRANSLATIONS[name].partition(":")
    translation = getattr(import_module(module), function)
    if name in WHOLE_FILE:
        translation(line, path, activity)
        return SUCCESS
    return _export(line, translation(line), path, activity)


def _export(line: CommandLine, translate: Translate, path: str, activity: Activity) -> int:
    """Translates every chunk of the input; the command line is checked before it is read."""
    from mlc.tools.chunks import read_chunks, write_results
    from mlc.tools.translate.process import make_session, process

    session = make_session(line, translate)
    results = [process(chunk, session, activity) for chunk in read_chunks(line, path, activity)]
    activity.begin("mlc-translate: error: writing the output")
    return write_results(line, results, separator="")


if __name__ == "__main__":
    sys.exit(main())
