"""The check of words: `python -P -m mlc.tools.checks.words [PATH...]`.

It reports every word that docs/glossary.md replaces in names, comments, docstrings, string literals and pages
of the checkout in the current folder, docstrings that do not begin with a sentence, public functions without
one, `each` as a variable, and functions named by a bare participle. Exit status: 0, 1 if there is any, 2 if
the command line makes no sense.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

from mlc.tools.checks.checkout import files
from mlc.tools.checks.findings import Finding, words_of_text
from mlc.tools.checks.glossary import GENERATED, OWN_FILES
from mlc.tools.checks.page import PAGE, check_page, write_page
from mlc.tools.checks.python_style import style_of
from mlc.tools.checks.texts import NAME, Text, texts

_SUFFIXES = (".py", ".pyi", ".c", ".h", ".mlir", ".md")


def check_source(path: str, source: str) -> list[Finding]:
    """Returns the findings in one file, whose suffix says what it holds; sorted by line and column."""
    if path in OWN_FILES or any(fnmatch.fnmatch(path, pattern) for pattern in GENERATED):
        return []
    lines = source.splitlines()
    stem = Path(path).stem
    found = list(words_of_text(path, Text(NAME, stem, [(0, 1, 1)]), [stem]))
    found += [finding for text in texts(Path(path), source) for finding in words_of_text(path, text, lines)]
    if path.endswith(".py"):
        found += style_of(path, ast.parse(source))
    return sorted(set(found))


def check_checkout(root: Path, under: list[str]) -> Iterator[Finding]:
    """Yields the findings in the files of the checkout `root`, or in those at or below the paths `under`."""
    sources = files(root, _SUFFIXES)
    for path in sorted(sources):
        if not under or any(PurePath(path).is_relative_to(folder) for folder in under):
            yield from check_source(path, sources[path])
            if path == PAGE:
                yield from check_page(sources[path])


def main(arguments: list[str]) -> int:
    """Checks the checkout in the current folder; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="words", description="Checks for the words that docs/glossary.md replaces."
    )
    parser.add_argument("paths", nargs="*", help="files or folders to check, all by default")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/glossary.md and exit")
    options = parser.parse_args(arguments)
    if options.write:
        write_page(Path.cwd())
        return 0
    findings = list(check_checkout(Path.cwd(), options.paths))
    print(*findings, sep="\n", end="\n" if findings else "")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
