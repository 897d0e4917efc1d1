"""Reads regular expressions of RE2's syntax (https://github.com/google/re2/wiki/Syntax).

Escapes and classes in brackets.

Where one is in a regular expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mlc.frontends.regex.letter_classes import PERL, POSIX, category, in_any_case
from mlc.frontends.regex.syntax_tree import (
    MAX_CODE,
    Choice,
    Letters,
    Place,
    Ranges,
    Regex,
    RegexError,
    Repeated,
    Sequence,
    negated,
    union,
)


class Reader:
    """Reads a pattern from the front."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.place = pattern, 0

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.place >= len(self.pattern)

    @property
    def peek(self) -> str:
        """The next letter; "" at the end."""
        return self.pattern[self.place : self.place + 1]

    def next(self, message: str) -> str:
        """Takes the next letter. Raises RegexError at the end."""
        if self.at_end:
            raise self.error(message)
        self.place += 1
        return self.pattern[self.place - 1]

    def take(self, text: str) -> bool:
        """Takes the text if it is next."""
        found = self.pattern.startswith(text, self.place)
        self.place += len(text) if found else 0
        return found

    def until(self, end: str) -> str:
        """Takes what is in front of `end`, and that. Raises RegexError where it is missing."""
        stop = self.pattern.find(end, self.place)
        if stop < 0:
            raise self.error(f"{end} is missing")
        text, self.place = self.pattern[self.place : stop], stop + len(end)
        return text

    def literal(self) -> str:
        """Takes what follows \\Q, up to \\E or the end."""
        stop = self.pattern.find("\\E", self.place)
        stop = len(self.pattern) if stop < 0 else stop
        text, self.place = self.pattern[self.place : stop], min(stop + 2, len(self.pattern))
        return text

    def match(self, expression: str) -> re.Match[str] | None:
        """Takes what Python's expression matches next."""
        found = re.compile(expression, re.ASCII).match(self.pattern, self.place)
        self.place = found.end() if found else self.place
        return found

    def error(self, message: str) -> RegexError:
        """An error at this place."""
        return RegexError(f"the pattern {self.pattern!r} at {self.place}: {message}")


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


# What RE2 allows.
MOST_REPEATS, MOST_NESTED = 1000, 100
_NEWLINE = ((10, 10),)


@dataclass(frozen=True)
class Flags:
    """What (?...) sets. That U exchanges greedy and lazy forms changes no language."""

    i: bool = False
    m: bool = False
    s: bool = False
    U: bool = False


def parse(pattern: str) -> Regex:
    """The expression. Raises RegexError."""
    reader = Reader(pattern)
    result = _Parser(reader).choice(Flags(), 0)
    if not reader.at_end:
        raise reader.error("a ) without its (")
    return result


class _Parser:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def choice(self, flags: Flags, depth: int) -> Regex:
        """Alternatives, up to the end of the group. Flags that are set in one hold in those after it."""
        if depth > MOST_NESTED:
            raise self.reader.error(f"groups are nested more than {MOST_NESTED} deep")
        items = []
        while True:
            item, flags = self._sequence(flags, depth)
            items.append(item)
            if not self.reader.take("|"):
                return Choice(tuple(items)) if len(items) > 1 else items[0]

    def _sequence(self, flags: Flags, depth: int) -> tuple[Regex, Flags]:
        items: list[Regex] = []
        while not self.reader.at_end and self.reader.peek not in "|)":
            if self.reader.take("\\Q"):
                letters = [_letter(ord(each), flags) for each in self.reader.literal()]
                items += [*letters[:-1], *map(self._repeated, letters[-1:])]
                continue
            if self.reader.take("("):
                item, flags = self._group(flags, depth)
            else:
                item = self._atom(flags)
            items.append(self._repeated(item))
        return (items[0] if len(items) == 1 else Sequence(tuple(items))), flags

    def _group(self, flags: Flags, depth: int) -> tuple[Regex, Flags]:
        """What follows a (; of (?flags) the flags."""
        inner = flags
        if self.reader.take("?"):
            if self.reader.take("P<") or (self.reader.peek == "<" and self.reader.take("<")):
                self._name()
            else:
                inner, is_group = self._flags(flags)
                if not is_group:
                    return Sequence(()), inner
        item = self.choice(inner, depth + 1)
        if not self.reader.take(")"):
            raise self.reader.error("a ( without its )")
        return item, flags

    def _name(self) -> None:
        name = self.reader.until(">")
        if not name or not all(each.isalnum() or each == "_" for each in name):
            raise self.reader.error("a group needs a name of letters, digits and _, followed by >")

    def _flags(self, flags: Flags) -> tuple[Flags, bool]:
        """The new flags, and whether they are those of a group that follows."""
        is_on = True
        while True:
            letter = self.reader.next("what follows (? is incomplete")
            if letter in ":)":
                return flags, letter == ":"
            if letter == "-" and is_on:
                is_on = False
            elif letter in "imsU":
                flags = replace(flags, **{letter: is_on})
            else:
                raise self.reader.error(f"(?{letter} is not supported")

    def _atom(self, flags: Flags) -> Regex:
        letter = self.reader.next("")
        if letter == ".":
            return Letters(negated(() if flags.s else _NEWLINE))
        if letter == "^":
            return Place("line begin" if flags.m else "begin")
        if letter == "$":
            return Place("line end" if flags.m else "end")
        if letter == "[":
            return read_class(self.reader, flags.i)
        if letter == "\\":
            found = read_escape(self.reader)
            if isinstance(found, int):
                return _letter(found, flags)
            return Letters(in_any_case(found.ranges)) if flags.i and isinstance(found, Letters) else found
        if letter in "*+?":
            raise self.reader.error(f"nothing is in front of {letter}")
        return _letter(ord(letter), flags)

    def _repeated(self, item: Regex) -> Regex:
        """The item with what says how often, of which RE2 allows one."""
        counts = self._counts()
        if counts is None:
            return item
        self.reader.take("?")
        if self._counts() is not None:
            raise self.reader.error("one * + ? {} after the other")
        return Repeated(item, *counts)

    def _counts(self) -> tuple[int, int | None] | None:
        for letter, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.reader.take(letter):
                return counts
        found = self.reader.match(r"\{(\d+)(?:(,)(\d*))?\}")
        if found is None:
            return None
        least = int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise self.reader.error(f"{found[0]} is no number of repetitions up to {MOST_REPEATS}")
        return least, most


def _letter(code: int, flags: Flags) -> Letters:
    ranges = ((code, code),)
    return Letters(in_any_case(ranges) if flags.i else ranges)
