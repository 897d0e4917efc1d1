"""The named character classes of RE2's syntax, and letters that differ in case only."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from functools import cache

from mlc.frontends.regex.syntax_tree import Ranges, RegexError, negate, union

_BLOCK = 256


def _of(*parts: str) -> Ranges:
    """Returns the union of ranges given by two letters each, and of single letters."""
    return union([(ord(part[0]), ord(part[-1])) for part in parts])


_SPACE = _of("\t", "\n", "\f", "\r", " ")
_WORD = _of("09", "AZ", "az", "_")
PERL = {"d": _of("09"), "s": _SPACE, "w": _WORD}
POSIX = {
    "alnum": _of("09", "AZ", "az"),
    "alpha": _of("AZ", "az"),
    "ascii": ((0, 127),),
    "blank": _of("\t", " "),
    "cntrl": ((0, 31), (127, 127)),
    "digit": _of("09"),
    "graph": _of("!~"),
    "lower": _of("az"),
    "print": _of(" ~"),
    "punct": _of("!/", ":@", "[`", "{~"),
    "space": _of("\t\r", " "),
    "upper": _of("AZ"),
    "word": _WORD,
    "xdigit": _of("09", "AF", "af"),
}


@cache
def category(name: str) -> Ranges:
    """Returns the code points of a general category of Unicode, as "L" or "Lu"; "Any" are all.

    Raises RegexError for other names: scripts are not covered.
    """
    if name == "Any":
        return negate(())
    found = _categories()
    chosen = [pair for key, ranges in found.items() if key.startswith(name) for pair in ranges]
    if len(name) > 2 or not chosen:
        raise RegexError(f"the class of Unicode {name!r} is not supported, only general categories are")
    return union(chosen)


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for code in range(sys.maxunicode + 1):
        ranges = found.setdefault(unicodedata.category(chr(code)), [])
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return found


@cache
def _case_variants() -> dict[int, list[int]]:
    """Returns, for each letter that has another case, all letters that differ from it in case only."""
    groups: dict[str, list[int]] = {}
    for code in _letters_with_cases():
        upper = chr(code).upper()
        folded = (upper if len(upper) == 1 else chr(code)).lower()
        folded = folded if len(folded) == 1 else chr(code)
        if folded != chr(code) or upper != chr(code):
            groups.setdefault(folded, []).append(code)
    return {code: codes for codes in groups.values() if len(codes) > 1 for code in codes}


def _letters_with_cases() -> Iterator[int]:
    """Yields a superset of the letters that have another case: whole blocks of 256 code points, of which most
    have none."""
    for first in range(0, sys.maxunicode + 1, _BLOCK):
        block = "".join(map(chr, range(first, first + _BLOCK)))
        if block.upper() != block or block.lower() != block:
            yield from range(first, first + _BLOCK)


def in_any_case(ranges: Ranges) -> Ranges:
    """Returns the code points and those that differ from one of them in case only."""
    more = [
        (other, other)
        for code, others in _case_variants().items()
        if any(low <= code <= high for low, high in ranges)
        for other in others
    ]
    return union([*ranges, *more])
