"""What a rewrite pattern is, how patterns combine, and what they are called."""

from __future__ import annotations

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


def pattern_name(pattern: Callable[..., Any]) -> str:
    """`module.function` of a pattern, without `mlc.passes.`; of `FirstOf`, that of its last success.

    Functions around a pattern say so with `__wrapped__`, as `functools.wraps` does.
    """
    if isinstance(pattern, FirstOf) and pattern.last is not None:
        return pattern_name(pattern.last)
    inner = pattern.func if isinstance(pattern, partial) else getattr(pattern, "__wrapped__", None)
    if inner is not None:
        return pattern_name(inner)
    named = pattern if hasattr(pattern, "__qualname__") else type(pattern)
    return f"{named.__module__}.{named.__qualname__}".removeprefix("mlc.passes.")
