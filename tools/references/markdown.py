"""Small pieces of Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are one line of Markdown each."""
    lines = [
        _row(header),
        _row(["---"] * len(header)),
        *(_row([_cell(cell) for cell in row]) for row in rows),
    ]
    return "\n".join(lines)


def paragraphs(documented: object) -> str:
    """The docstring, without its indentation."""
    return inspect.getdoc(documented) or ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
