"""Rewrite patterns, their combinations and their names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from mlc.bindings import ir

# Returns True if it changed the IR.
Pattern = Callable[[ir.Operation], bool]


class FirstOf:
    """Patterns in order, until one changes the op; `last` is the one that did so last."""

    def __init__(self, *patterns: Pattern) -> None:
        self.patterns = patterns
        self.last: Pattern | None = None

    def __call__(self, op: ir.Operation) -> bool:
        for pattern in self.patterns:
            if pattern(op):
                self.last = pattern
                return True
        return False


def innermost(pattern: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that a pattern is made from; of `FirstOf`, that of its last success.

    Functions around a pattern refer to it with `__wrapped__`, as `functools.wraps` does.
    """
    while True:
        if isinstance(pattern, FirstOf) and pattern.last is not None:
            pattern = pattern.last
        elif isinstance(pattern, partial):
            pattern = pattern.func
        elif (wrapped := getattr(pattern, "__wrapped__", None)) is not None:
            pattern = wrapped
        else:
            return pattern


def pattern_name(pattern: Callable[..., Any]) -> str:
    """Returns `module.function` of the innermost pattern, without `mlc.passes.`; of a nested function the
    name of the outermost one."""
    inner = innermost(pattern)
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    name = named.__qualname__.partition(".<locals>")[0]
    return f"{named.__module__}.{name}".removeprefix("mlc.passes.")


def pattern_summary(pattern: Callable[..., Any]) -> str:
    """Returns the first sentence of the innermost pattern's docstring, "" if it has none."""
    text = " ".join((inspect.getdoc(innermost(pattern)) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[^.]\.)\s", text, maxsplit=1)[0].rstrip(".")
