"""Parser of regular expressions of RE2's syntax (https://github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mlc.frontends.regex.letter_classes import PERL, POSIX, category, in_any_case
from mlc.frontends.regex.syntax_tree import (
    MAX_CODE,
    Alternation,
    Assertion,
    Letters,
    Ranges,
    Regex,
    RegexError,
    Repetition,
    Sequence,
    negate,
    union,
)


class Reader:
    """A cursor into a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.offset = pattern, 0

    @property
    def at_end(self) -> bool:
        """Whether the whole pattern is consumed."""
        return self.offset >= len(self.pattern)

    @property
    def peek(self) -> str:
        """The next letter; "" at the end."""
        return self.pattern[self.offset : self.offset + 1]

    def next(self, message: str) -> str:
        """Consumes and returns the next letter. Raises RegexError with `message` at the end."""
        if self.at_end:
            raise self.error(message)
        self.offset += 1
        return self.pattern[self.offset - 1]

    def take(self, text: str) -> bool:
        """Consumes `text` if it comes next; returns whether it did."""
        found = self.pattern.startswith(text, self.offset)
        self.offset += len(text) if found else 0
        return found

    def until(self, end: str) -> str:
        """Consumes the text up to and including `end`; returns what precedes `end`. Raises RegexError if it
        is missing."""
        stop = self.pattern.find(end, self.offset)
        if stop < 0:
            raise self.error(f"{end} is missing")
        text, self.offset = self.pattern[self.offset : stop], stop + len(end)
        return text

    def literal(self) -> str:
        """Consumes and returns what follows \\Q, up to \\E or the end."""
        stop = self.pattern.find("\\E", self.offset)
        stop = len(self.pattern) if stop < 0 else stop
        text, self.offset = self.pattern[self.offset : stop], min(stop + 2, len(self.pattern))
        return text

    def match(self, expression: str) -> re.Match[str] | None:
        """Consumes and returns the match of a Python expression at the cursor, or None."""
        found = re.compile(expression, re.ASCII).match(self.pattern, self.offset)
        self.offset = found.end() if found else self.offset
        return found

    def error(self, message: str) -> RegexError:
        """Returns an error that names the current offset."""
        return RegexError(f"the pattern {self.pattern!r} at {self.offset}: {message}")


_CONTROL = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}

_ASSERTIONS = {"A": "begin", "z": "end", "b": "word boundary", "B": "no word boundary"}


def read_escape(reader: Reader) -> int | Letters | Assertion:
    """Consumes what follows a backslash; returns a code point, a class or an assertion. Raises RegexError."""
    ranges = _class_escape(reader)
    if ranges is not None:
        return Letters(ranges)
    if reader.peek in _ASSERTIONS and not reader.at_end:
        return Assertion(_ASSERTIONS[reader.next("")])
    return _code_escape(reader)


def _class_escape(reader: Reader) -> Ranges | None:
    letter = reader.peek
    if letter and letter in "dswDSW":
        reader.next("")
        ranges = PERL[letter.lower()]
        return negate(ranges) if letter.isupper() else ranges
    found = reader.match(r"([pP])(?:\{(\^?)(\w+)\}|([A-Z]))")
    if found is None:
        return None
    try:
        ranges = category(found[3] or found[4])
    except RegexError as error:
        raise reader.error(str(error)) from None
    return negate(ranges) if (found[1] == "P") != bool(found[2]) else ranges


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
    """Consumes what follows a [, including its ]; returns the class. Raises RegexError."""
    is_negated = reader.take("^")
    found: list[tuple[int, int]] = []
    is_first = True
    while is_first or not reader.take("]"):
        is_first = False
        posix = reader.match(r"\[:(\^?)(\w*):\]")
        if posix is not None:
            if posix[2] not in POSIX:
                raise reader.error(f"there is no class {posix[0]}")
            found += negate(POSIX[posix[2]]) if posix[1] else POSIX[posix[2]]
        else:
            found += _range(reader)
    ranges = in_any_case(union(found)) if any_case else union(found)
    return Letters(negate(ranges) if is_negated else ranges)


def _range(reader: Reader) -> list[tuple[int, int]]:
    """Consumes a code point, two code points with a - between them, or the class of an escape."""
    low = _member(reader)
    if not isinstance(low, int):
        return list(low)
    if reader.peek != "-" or reader.pattern[reader.offset + 1 : reader.offset + 2] in ("]", ""):
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


# RE2's limits.
MOST_REPEATS, MOST_NESTED = 1000, 100
_NEWLINE = ((10, 10),)


@dataclass(frozen=True)
class Flags:
    """The flags that (?...) sets. U, which exchanges greedy and lazy forms, changes no language."""

    i: bool = False
    m: bool = False
    s: bool = False
    U: bool = False


def parse(pattern: str) -> Regex:
    """Returns the syntax tree of the pattern. Raises RegexError."""
    reader = Reader(pattern)
    result = _RegexParser(reader).choice(Flags(), 0)
    if not reader.at_end:
        raise reader.error("a ) without its (")
    return result


class _RegexParser:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def choice(self, flags: Flags, depth: int) -> Regex:
        """Parses alternatives, up to the end of the group. Flags that are set in one hold in those after
        it."""
        if depth > MOST_NESTED:
            raise self.reader.error(f"groups are nested more than {MOST_NESTED} deep")
        items = []
        while True:
            item, flags = self._sequence(flags, depth)
            items.append(item)
            if not self.reader.take("|"):
                return Alternation(tuple(items)) if len(items) > 1 else items[0]

    def _sequence(self, flags: Flags, depth: int) -> tuple[Regex, Flags]:
        items: list[Regex] = []
        while not self.reader.at_end and self.reader.peek not in "|)":
            if self.reader.take("\\Q"):
                letters = [_letter(ord(letter), flags) for letter in self.reader.literal()]
                items += [*letters[:-1], *map(self._parse_repetition, letters[-1:])]
                continue
            if self.reader.take("("):
                item, flags = self._group(flags, depth)
            else:
                item = self._atom(flags)
            items.append(self._parse_repetition(item))
        return (items[0] if len(items) == 1 else Sequence(tuple(items))), flags

    def _group(self, flags: Flags, depth: int) -> tuple[Regex, Flags]:
        """Parses what follows a (; for (?flags) only the flags change."""
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
        if not name or not all(letter.isalnum() or letter == "_" for letter in name):
            raise self.reader.error("a group needs a name of letters, digits and _, followed by >")

    def _flags(self, flags: Flags) -> tuple[Flags, bool]:
        """Parses flags; returns them and whether they are those of a group that follows."""
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
            return Letters(negate(() if flags.s else _NEWLINE))
        if letter == "^":
            return Assertion("line begin" if flags.m else "begin")
        if letter == "$":
            return Assertion("line end" if flags.m else "end")
        if letter == "[":
            return read_class(self.reader, flags.i)
        if letter == "\\":
            found = read_escape(self.reader)
            if isinstance(found, int):
                return _letter(found, flags)
            return Letters(in_any_case(found.ranges)) if flags.i and isinstance(found, Letters) else found
        if letter in "*+?":
            raise self.reader.error(f"nothing precedes {letter}")
        return _letter(ord(letter), flags)

    def _parse_repetition(self, item: Regex) -> Regex:
        """Parses the repetition operator after an item, of which RE2 allows one."""
        counts = self._counts()
        if counts is None:
            return item
        self.reader.take("?")
        if self._counts() is not None:
            raise self.reader.error("one * + ? {} after the other")
        return Repetition(item, *counts)

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
