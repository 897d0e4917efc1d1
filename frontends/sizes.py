"""Sizes of dims that callers give."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from contextlib import suppress


def wrong_sizes(sizes: Iterable[object], least: int = 0) -> str:
    """What is wrong with the first of `sizes` that is no integer from `least` on that MLIR's types hold; ""
    if all are."""
    for size in sizes:
        with suppress(TypeError):
            if least <= operator.index(size) < 1 << 63:  # type: ignore[arg-type]
                continue
        return f"{size!r} is no size: an integer from {least} to 2^63 - 1"
    return ""
