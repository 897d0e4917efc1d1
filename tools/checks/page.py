"""The tables of docs/glossary.md, which are written from `mlc.tools.checks.glossary`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mlc.tools.checks.findings import Finding
from mlc.tools.checks.glossary import ALLOWED, ENTRIES

PAGE = "docs/glossary.md"
_TABLES = re.compile(r"(<!-- words: begin -->\n).*(<!-- words: end -->\n)", re.DOTALL)


def tables() -> str:
    """Returns the table of replaced words and the table of what stays, as Markdown."""
    words = [f"| {entry.word} | {entry.instead} | {entry.why} |" for entry in ENTRIES]
    allowed = [
        f"| {item.word} | `{_cell(item.pattern)}` | `{item.files}` | {item.reason} |" for item in ALLOWED
    ]
    return "\n".join(
        [
            "| not | but | reason |",
            "|---|---|---|",
            *words,
            "",
            "What stays:",
            "",
            "| word | where it matches | files | reason |",
            "|---|---|---|---|",
            *allowed,
            "",
        ]
    )


def page_with_tables(page: str) -> str:
    """Returns the page with current tables. Raises ValueError if it lacks the markers around them."""
    if not _TABLES.search(page):
        raise ValueError(f"{PAGE} lacks the markers `<!-- words: begin -->` and `<!-- words: end -->`")
    return _TABLES.sub(lambda match: match[1] + tables() + match[2], page)


def check_page(page: str) -> Iterator[Finding]:
    """Yields a finding if the tables of the page differ from the list of words."""
    if page_with_tables(page) != page:
        yield Finding(
            PAGE, 1, 1, "glossary", "tables out of date", "python -P -m mlc.tools.checks.words --write"
        )


def write_page(root: Path) -> None:
    """Writes the tables into the page."""
    path = root / PAGE
    path.write_text(page_with_tables(path.read_text()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
