"""Changes of the code of threads, each a mistake that the emulator must notice."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlc.bindings import ir

Change = Callable[[ir.Module], ir.Module]


def replace_match(pattern: str, replacement: str, index: int) -> Change:
    """Returns a change that replaces match `index` (negative: from the end) of `pattern` in the code."""

    def change(module: ir.Module) -> ir.Module:
        text = str(module)
        match = list(re.finditer(pattern, text, re.MULTILINE))[index]
        return ir.Module.parse(text[: match.start()] + match.expand(replacement) + text[match.end() :])

    return change
