"""The check of words: `python -P -m mlc.tools.checks.words [--diff REV] [--counts] [PATH...]`.

It reports every word that docs/glossary.md replaces in names, comments, docstrings, string literals and pages
of the checkout in the current folder, docstrings that do not begin with a sentence, `each` as a variable, and
functions named by a bare participle. Exit status: 0, 1 if there is any, 2 if the command line makes no sense.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mlc.tools.checks.changes import changed_lines
from mlc.tools.checks.findings import Finding, words_of_text
from mlc.tools.checks.glossary import GENERATED, OWN_FILES
from mlc.tools.checks.page import PAGE, check_page, write_page
from mlc.tools.checks.python_style import public_without_docstring, style_of
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


def check_files(root: Path, paths: list[str]) -> Iterator[Finding]:
    """Yields the findings in files of the checkout `root`, named relative to it."""
    for path in paths:
        yield from check_source(path, (root / path).read_text())
    if PAGE in paths:
        yield from check_page(root)


def files(root: Path, under: list[str]) -> list[str]:
    """Returns the files of the checkout that the check reads, those that git ignores left out."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "--", *under]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(name for name in set(names) if name.endswith(_SUFFIXES) and _is_file(root / name))


def counts(root: Path, paths: list[str], findings: list[Finding]) -> str:
    """Returns the number of findings by rule and folder, and of public functions without a docstring."""
    folders = Counter(_folder(finding.path) for finding in findings)
    by_rule = Counter(finding.rule for finding in findings)
    columns = [folder for folder, _ in folders.most_common()]
    cells = Counter((finding.rule, _folder(finding.path)) for finding in findings)
    lines = ["\t".join(["rule", "all", *columns])]
    for rule, total in by_rule.most_common():
        lines.append("\t".join([rule, str(total), *(str(cells[rule, folder]) for folder in columns)]))
    lines.append("\t".join(["all", str(len(findings)), *(str(folders[folder]) for folder in columns)]))
    missing = [
        len(public_without_docstring(ast.parse((root / path).read_text())))
        for path in paths
        if _is_source(path)
    ]
    lines.append(f"public functions without a docstring\t{sum(missing)}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Checks the checkout in the current folder; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="words", description="Checks for the words that docs/glossary.md replaces."
    )
    parser.add_argument("paths", nargs="*", help="files or folders to check, all by default")
    parser.add_argument("--diff", metavar="REV", help="report only lines that differ from this revision")
    parser.add_argument(
        "--counts", action="store_true", help="print counts by rule and folder instead of findings"
    )
    parser.add_argument("--rule", action="append", help="report only this rule; may be repeated")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/glossary.md and exit")
    options = parser.parse_args(arguments)
    root = Path.cwd()
    if options.write:
        write_page(root)
        return 0
    paths = files(root, options.paths)
    findings = list(check_files(root, paths))
    if options.diff:
        changed = changed_lines(root, options.diff)
        findings = [finding for finding in findings if finding.line in changed.get(finding.path, ())]
    if options.rule:
        findings = [finding for finding in findings if finding.rule in options.rule]
    if options.counts:
        print(counts(root, paths, findings))
    else:
        print(*findings, sep="\n", end="\n" if findings else "")
    return int(bool(findings))


def _folder(path: str) -> str:
    parts = path.split("/")
    return (
        "."
        if len(parts) == 1
        else "/".join(parts[:2])
        if parts[0] == "passes" and len(parts) > 2
        else parts[0]
    )


def _is_source(path: str) -> bool:
    return path.endswith(".py") and not path.startswith(("test/", "bench/", "examples/", "docs/"))


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
