"""Upper and lower case of Unicode as a table, which a function of the runtime applies to strings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

import numpy as np

# A row of the table: a code point and what replaces it.
ROW = 4
_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"
# So many code points are looked at together, of which mostly none is a letter.
_BLOCK = 256


def changed_case(text: str, action: str) -> str:
    """Text in the case "LOWER" or "UPPER", every code point by itself, as the table has it."""
    if action == "UPPER":
        return text.upper()
    # Of all letters only this one depends on its place in the word.
    return _SIGMA.lower().join(part.lower() for part in text.split(_SIGMA))


@cache
def case_table(action: str) -> np.ndarray:
    """For "LOWER" or "UPPER" the code points that have another form in that case: `[n, 4]` of i32, sorted;
    each row a code point, the up to three that replace it, then zeros."""
    return np.array([[*row, *[0] * (ROW - len(row))] for row in _rows(action)], np.int32)


def _rows(action: str) -> Iterator[list[int]]:
    for first in range(0, sys.maxunicode + 1, _BLOCK):
        block = "".join(map(chr, range(first, first + _BLOCK)))
        if changed_case(block, action) != block:
            changed = ((ord(each), changed_case(each, action)) for each in block)
            yield from ([code, *map(ord, text)] for code, text in changed if text != chr(code))
