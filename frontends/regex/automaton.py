"""Nondeterministic automata over bytes: a regular expression's letters in UTF-8 (Thompson 1968).

The smallest deterministic automaton over bytes, as a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from mlc.frontends.regex.parser import parse
from mlc.frontends.regex.syntax_tree import Choice, Letters, Place, Regex, RegexError, Repeated

# Of the table, and of the sets of states that are looked at to make it.
MOST_STATES, MOST_WORK = 4096, 20_000_000

# What is next to a place: an end of the text, a byte of a newline or of a word, or another.
_EDGE, _NEWLINE, _WORD, _OTHER = range(4)

_WORD_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


@cache
def match_table(pattern: str) -> np.ndarray:
    """Which strings a pattern of RE2's syntax matches from end to end: a vector of i32 of the number of
    states, that of classes of bytes, the class of each of 256 bytes, for each state whether it accepts, and
    for each state and class the next state. State 0 is the first. Raises RegexError."""
    rows, accepting, classes = _minimal(*_determined(automaton(parse(pattern))))
    table = np.concatenate([[len(rows), rows.shape[1]], classes, accepting, rows.reshape(-1)])
    return np.asarray(table, np.int32)


def _kind(byte: int) -> int:
    return _NEWLINE if byte == 10 else _WORD if byte in _WORD_BYTES else _OTHER


def _holds(place: str, before: int, after: int) -> bool:
    """Whether a place is between what is before and after it."""
    if place == "begin":
        return before == _EDGE
    if place == "end":
        return after == _EDGE
    if place == "line begin":
        return before in (_EDGE, _NEWLINE)
    if place == "line end":
        return after in (_EDGE, _NEWLINE)
    return ((before == _WORD) != (after == _WORD)) == (place == "word boundary")


def _byte_classes(made: Automaton, has_places: bool) -> np.ndarray:
    """Bytes that no step, and no place, tells apart have one class."""
    bounds = {0} | {bound for steps in made.steps for low, high, _ in steps for bound in (low, high + 1)}
    if has_places:
        bounds |= {byte for byte in range(1, 256) if _kind(byte) != _kind(byte - 1)}
    marks = np.zeros(257, np.int64)
    marks[sorted(bounds)] = 1
    return np.cumsum(marks[:256]) - 1


def _determined(made: Automaton) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each set of states that a text may lead to the sets that bytes of each class lead to, and whether
    it accepts."""
    has_places = any(place for jumps in made.jumps for _, place in jumps)
    classes = _byte_classes(made, has_places)
    heads = [int(np.flatnonzero(classes == each)[0]) for each in range(classes.max() + 1)]
    start = (frozenset([made.begin]), _EDGE if has_places else _OTHER)
    numbers, rows, accepting = {start: 0}, [], []
    pending, work = [start], 0
    for states, before in pending:
        row, closures = [], {}
        for byte in heads:
            after = _kind(byte) if has_places else _OTHER
            if after not in closures:
                closures[after] = _closure(made, states, before, after)
            reached = frozenset(
                to for state in closures[after] for low, high, to in made.steps[state] if low <= byte <= high
            )
            key = (reached, after)
            if key not in numbers:
                numbers[key] = len(numbers)
                pending.append(key)
            row.append(numbers[key])
        work += len(heads) * sum(map(len, closures.values()))
        if len(numbers) > MOST_STATES or work > MOST_WORK:
            raise RegexError(f"the pattern needs a table of more than {MOST_STATES} states, or too long")
        rows.append(row)
        accepting.append(made.end in _closure(made, states, before, _EDGE))
    return np.array(rows), np.array(accepting), classes


def _closure(made: Automaton, states: frozenset[int], before: int, after: int) -> set[int]:
    """The states that are reached without a byte."""
    found, pending = set(states), list(states)
    while pending:
        for to, place in made.jumps[pending.pop()]:
            if to not in found and (place is None or _holds(place, before, after)):
                found.add(to)
                pending.append(to)
    return found


def _minimal(
    rows: np.ndarray, accepting: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States that no text tells apart become one, and so do classes of bytes (Moore 1956)."""
    blocks, count = accepting.astype(np.int64), 0
    while len(np.unique(blocks)) != count:
        count = len(np.unique(blocks))
        signatures = np.concatenate([blocks[:, None], blocks[rows]], axis=1)
        blocks = np.unique(signatures, axis=0, return_inverse=True)[1].reshape(-1)
    # In the order in which they are met, so that the first state stays the first.
    _, first, inverse = np.unique(blocks, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.argsort(order)
    blocks, heads = place[inverse.reshape(-1)], first[order]
    columns, merged = np.unique(blocks[rows[heads]], axis=1, return_inverse=True)
    return columns, accepting[heads], merged.reshape(-1)[classes]


_MOST_NFA_STATES = 20000
_SURROGATES = (0xD800, 0xDFFF)
# The last code points of each length, and their first bytes' marks.
_LENGTHS = ((0x7F, 1), (0x7FF, 2), (0xFFFF, 3), (0x10FFFF, 4))

ByteRange = tuple[int, int]


@dataclass
class Automaton:
    """States by number: `steps` lead on by a byte of a range, `jumps` at a place, or anywhere (None). It
    begins in state `begin` and accepts in state `end`."""

    steps: list[list[tuple[int, int, int]]] = field(default_factory=list)
    jumps: list[list[tuple[int, str | None]]] = field(default_factory=list)
    begin: int = 0
    end: int = 0

    def state(self) -> int:
        """A new one."""
        if len(self.steps) == _MOST_NFA_STATES:
            raise RegexError(f"the pattern needs more than {_MOST_NFA_STATES} states")
        self.steps.append([])
        self.jumps.append([])
        return len(self.steps) - 1


def automaton(regex: Regex) -> Automaton:
    """Accepts what the expression matches from its first byte to its last. Raises RegexError."""
    made = Automaton()
    made.begin = made.state()
    made.end = _add(made, regex, made.begin)
    return made


def _add(made: Automaton, regex: Regex, begin: int) -> int:
    """Adds an expression that is matched from state `begin`; the state behind it."""
    if isinstance(regex, Letters):
        return _letters(made, regex, begin)
    if isinstance(regex, Place):
        end = made.state()
        made.jumps[begin].append((end, regex.kind))
        return end
    if isinstance(regex, Repeated):
        return _repeated(made, regex, begin)
    if isinstance(regex, Choice):
        end = made.state()
        for item in regex.items:
            start = made.state()
            made.jumps[begin].append((start, None))
            made.jumps[_add(made, item, start)].append((end, None))
        return end
    for item in regex.items:
        begin = _add(made, item, begin)
    return begin


def _repeated(made: Automaton, regex: Repeated, begin: int) -> int:
    for _ in range(regex.least):
        begin = _add(made, regex.item, begin)
    end = made.state()
    if regex.most is None:
        start = made.state()
        made.jumps[begin].append((start, None))
        made.jumps[_add(made, regex.item, start)].append((start, None))
        made.jumps[start].append((end, None))
        return end
    for _ in range(regex.most - regex.least):
        made.jumps[begin].append((end, None))
        # A state of its own: nothing leads back to it.
        start = made.state()
        made.jumps[begin].append((start, None))
        begin = _add(made, regex.item, start)
    made.jumps[begin].append((end, None))
    return end


def _letters(made: Automaton, letters: Letters, begin: int) -> int:
    end = made.state()
    # Equal ends of byte sequences share their states.
    tails: dict[tuple[ByteRange, ...], int] = {(): end}
    for low, high in letters.ranges:
        for piece in _sequences(low, high):
            made.steps[begin].append((*piece[0], _tail(made, tails, piece[1:])))
    return end


def _tail(made: Automaton, tails: dict[tuple[ByteRange, ...], int], rest: tuple[ByteRange, ...]) -> int:
    if rest not in tails:
        target = _tail(made, tails, rest[1:])
        tails[rest] = made.state()
        made.steps[tails[rest]].append((*rest[0], target))
    return tails[rest]


def _sequences(low: int, high: int) -> Iterator[tuple[ByteRange, ...]]:
    """The bytes of a range of code points: ranges of bytes one after the other. Surrogates have none."""
    for cut in (*_SURROGATES, *(last for last, _ in _LENGTHS)):
        bound = cut - 1 if cut == _SURROGATES[0] else cut
        if low <= bound < high:
            yield from _sequences(low, bound)
            yield from _sequences(bound + 1, high)
            return
    if _SURROGATES[0] <= low <= _SURROGATES[1]:
        return
    length = next(length for last, length in _LENGTHS if high <= last)
    yield from _split(low, high, length)


def _split(low: int, high: int, length: int) -> Iterator[tuple[ByteRange, ...]]:
    """Of code points of one length: cut until each byte's range goes with every one of the others."""
    for place in range(1, length):
        rest = (1 << 6 * place) - 1
        if low & ~rest != high & ~rest:
            if low & rest:
                yield from _split(low, low | rest, length)
                yield from _split((low | rest) + 1, high, length)
                return
            if high & rest != rest:
                yield from _split(low, (high & ~rest) - 1, length)
                yield from _split(high & ~rest, high, length)
                return
    yield tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))
