"""Escapes and classes in brackets."""

from __future__ import annotations

from mlc.frontends.regex.letter_classes import PERL, POSIX, category, in_any_case
from mlc.frontends.regex.reader import Reader
from mlc.frontends.regex.syntax_tree import MAX_CODE, Letters, Place, Ranges, RegexError, negated, union

_CONTROL = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_PLACES = {"A": "begin", "z": "end", "b": "word boundary", "B": "no word boundary"}


def read_escape(reader: Reader) -> int | Letters | Place:
    """What follows a backslash: a code point, a class or a place. Raises RegexError."""
    ranges = _class_escape(reader)
    if ranges is not None:
        return Letters(ranges)
    if reader.peek in _PLACES and not reader.at_end:
        return Place(_PLACES[reader.next("")])
    return _code_escape(reader)


def _class_escape(reader: Reader) -> Ranges | None:
    letter = reader.peek
    if letter and letter in "dswDSW":
        reader.next("")
        ranges = PERL[letter.lower()]
        return negated(ranges) if letter.isupper() else ranges
    found = reader.match(r"([pP])(?:\{(\^?)(\w+)\}|([A-Z]))")
    if found is None:
        return None
    try:
        ranges = category(found[3] or found[4])
    except RegexError as error:
        raise reader.error(str(error)) from None
    return negated(ranges) if (found[1] == "P") != bool(found[2]) else ranges


def _code_escape(reader: Reader) -> int:
    found = reader.match(r"x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})")
    if found is not None:
        digits = found[1] or found[2]
        code = int(digits, 16) if digits else int(found[3], 8)
        if code > MAX_CODE:
            raise reader.error(f"there is no code point {code:#x}")
        return code
    letter = reader.next("a \\ at the end")
    if letter in _CONTROL:
        return _CONTROL[letter]
    if letter.isascii() and letter.isalnum():
        raise reader.error(f"\\{letter} is not supported")
    return ord(letter)


def read_class(reader: Reader, any_case: bool) -> Letters:
    """What follows a [, with its ]. Raises RegexError."""
    is_negated = reader.take("^")
    found: list[tuple[int, int]] = []
    is_first = True
    while is_first or not reader.take("]"):
        is_first = False
        posix = reader.match(r"\[:(\^?)(\w*):\]")
        if posix is not None:
            if posix[2] not in POSIX:
                raise reader.error(f"there is no class {posix[0]}")
            found += negated(POSIX[posix[2]]) if posix[1] else POSIX[posix[2]]
        else:
            found += _range(reader)
    ranges = in_any_case(union(found)) if any_case else union(found)
    return Letters(negated(ranges) if is_negated else ranges)


def _range(reader: Reader) -> list[tuple[int, int]]:
    """A code point, two with - between, or the class of an escape."""
    low = _member(reader)
    if not isinstance(low, int):
        return list(low)
    if reader.peek != "-" or reader.pattern[reader.place + 1 : reader.place + 2] in ("]", ""):
        return [(low, low)]
    reader.take("-")
    high = _member(reader)
    if not isinstance(high, int) or high < low:
        raise reader.error("the bounds of a range of letters are in the wrong order, or none")
    return [(low, high)]


def _member(reader: Reader) -> int | Ranges:
    letter = reader.next("a [ without its ]")
    if letter != "\\":
        return ord(letter)
    ranges = _class_escape(reader)
    return _code_escape(reader) if ranges is None else ranges
