"""Reads regular expressions of RE2's syntax (https://github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlc.frontends.regex.escapes import read_class, read_escape
from mlc.frontends.regex.letter_classes import in_any_case
from mlc.frontends.regex.reader import Reader
from mlc.frontends.regex.syntax_tree import Choice, Letters, Place, Regex, Repeated, Sequence, negated

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
