"""The heading of mlir-opt's reports."""

from __future__ import annotations

_RULE = "===" + "-" * 73 + "===\n"


def heading(title: str) -> str:
    """The title between rules, as the reports of timing and of statistics begin."""
    return f"{_RULE}{'':25}... {title} ...\n{_RULE}"
