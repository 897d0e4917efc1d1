"""Reports of verification passes."""

from __future__ import annotations

from collections.abc import Iterable

from mlc.bindings import ir
from mlc.passes.base import PassError


def fail_on(violations: Iterable[tuple[str, ir.Location]]) -> None:
    """Raises PassError if there is any violation: the first is the error, the others are its notes."""
    found = list(violations)
    if found:
        (message, location), *others = found
        raise PassError(message, location, others)
