"""Regular expressions compiled to the minimal deterministic automaton over bytes, as a table.

The expression becomes a nondeterministic automaton over the UTF-8 bytes of its letters (Thompson 1968), which
is determinised and minimised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from mlc.frontends.regex.parser import parse
from mlc.frontends.regex.syntax_tree import Alternation, Assertion, Letters, Regex, RegexError, Repetition

# The most states of a table, and the most transitions that are examined to compute it.
MOST_STATES, MOST_WORK = 4096, 20_000_000

# The class of what is next to a position: an end of the text, a newline, a byte of a word, another byte.
_AROUND = _EDGE, _NEWLINE, _WORD, _OTHER = range(4)

_WORD_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


@cache
def match_table(pattern: str) -> np.ndarray:
    """Returns the table of the strings that a pattern of RE2's syntax matches from end to end.

    The table is a vector of i32: the number of states, the number of byte classes, the class of each of 256
    bytes, for each state whether it accepts, and for each state and class the next state. State 0 is the
    initial one. Raises RegexError.
    """
    rows, accepts, classes, _ = _minimal(*_determine(automaton(parse(pattern)), [_EDGE], [_EDGE]))
    table = np.concatenate([[len(rows), rows.shape[1]], classes, accepts > 0, rows.reshape(-1)])
    return np.asarray(table, np.int32)


@cache
def search_table(pattern: str) -> np.ndarray:
    """Returns the table by which the matches of a pattern of RE2's syntax are found in a text.

    The table is a vector of i32: the number of states, the number of byte classes, the state from which
    nothing is accepted (-1: there is none), the initial state after each class of what precedes, 0, the class
    of each of 256 bytes, for each state the classes of what follows before which it accepts, as bits, and for
    each state and class the next state. Raises RegexError.
    """
    rows, accepts, classes, starts = _minimal(*_determine(automaton(parse(pattern)), _AROUND, _AROUND))
    stuck = np.flatnonzero((rows == np.arange(len(rows))[:, None]).all(1) & (accepts == 0))
    head = [len(rows), rows.shape[1], stuck[0] if len(stuck) else -1, *starts, 0]
    return np.asarray(np.concatenate([head, classes, accepts, rows.reshape(-1)]), np.int32)


def _byte_class(byte: int) -> int:
    return _NEWLINE if byte == 10 else _WORD if byte in _WORD_BYTES else _OTHER


def _holds(position: str, before: int, after: int) -> bool:
    """Whether the assertion `position` holds between bytes of the classes `before` and `after`."""
    if position == "begin":
        return before == _EDGE
    if position == "end":
        return after == _EDGE
    if position == "line begin":
        return before in (_EDGE, _NEWLINE)
    if position == "line end":
        return after in (_EDGE, _NEWLINE)
    return ((before == _WORD) != (after == _WORD)) == (position == "word boundary")


def _byte_classes(nfa: Automaton, has_assertions: bool) -> np.ndarray:
    """Returns the class of each byte; bytes that no step and no assertion distinguishes share one."""
    bounds = {0} | {bound for steps in nfa.steps for low, high, _ in steps for bound in (low, high + 1)}
    if has_assertions:
        bounds |= {byte for byte in range(1, 256) if _byte_class(byte) != _byte_class(byte - 1)}
    marks = np.zeros(257, np.int64)
    marks[sorted(bounds)] = 1
    return np.cumsum(marks[:256]) - 1


def _determine(
    nfa: Automaton, before_start: Sequence[int], after_end: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Determinises the automaton by the subset construction.

    Returns, for each reachable set of states, the sets that bytes of each class lead to, and as bits the
    classes `after_end` before which it accepts; the class of each byte; and the initial set after each of the
    classes `before_start`. Raises RegexError where the table would be too large.
    """
    has_assertions = any(position for jumps in nfa.jumps for _, position in jumps)
    classes = _byte_classes(nfa, has_assertions)
    heads = [int(np.flatnonzero(classes == index)[0]) for index in range(classes.max() + 1)]
    starts = [(frozenset([nfa.begin]), before if has_assertions else _OTHER) for before in before_start]
    indices: dict[tuple[frozenset[int], int], int] = {}
    for start in starts:
        indices.setdefault(start, len(indices))
    pending, work, rows, accepts = list(indices), 0, [], []
    for states, before in pending:
        row, closures = [], {}
        for byte in heads:
            after = _byte_class(byte) if has_assertions else _OTHER
            if after not in closures:
                closures[after] = _closure(nfa, states, before, after)
            reached = frozenset(
                to for state in closures[after] for low, high, to in nfa.steps[state] if low <= byte <= high
            )
            key = (reached, after)
            if key not in indices:
                indices[key] = len(indices)
                pending.append(key)
            row.append(indices[key])
        work += len(heads) * sum(map(len, closures.values()))
        if len(indices) > MOST_STATES or work > MOST_WORK:
            raise RegexError(f"the pattern needs a table of more than {MOST_STATES} states, or too long")
        rows.append(row)
        accepts.append(
            sum(1 << after for after in after_end if nfa.end in _closure(nfa, states, before, after))
        )
    return np.array(rows), np.array(accepts), classes, np.array([indices[start] for start in starts])


def _closure(nfa: Automaton, states: frozenset[int], before: int, after: int) -> set[int]:
    """Returns the states that are reached from `states` without a byte."""
    found, pending = set(states), list(states)
    while pending:
        for to, position in nfa.jumps[pending.pop()]:
            if to not in found and (position is None or _holds(position, before, after)):
                found.add(to)
                pending.append(to)
    return found


def _minimal(
    rows: np.ndarray, accepts: np.ndarray, classes: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Merges states that accept the same strings, and byte classes that lead to equal states (Moore 1956)."""
    blocks, count = accepts.astype(np.int64), 0
    while len(np.unique(blocks)) != count:
        count = len(np.unique(blocks))
        signatures = np.concatenate([blocks[:, None], blocks[rows]], axis=1)
        blocks = np.unique(signatures, axis=0, return_inverse=True)[1].reshape(-1)
    # Numbered in order of first occurrence, so that the initial state stays the first.
    _, first, inverse = np.unique(blocks, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.argsort(order)
    blocks, heads = rank[inverse.reshape(-1)], first[order]
    columns, merged = np.unique(blocks[rows[heads]], axis=1, return_inverse=True)
    return columns, accepts[heads], merged.reshape(-1)[classes], blocks[starts]


_MOST_NFA_STATES = 20000
_SURROGATES = (0xD800, 0xDFFF)
# The last code points of each length, and their first bytes' marks.
_LENGTHS = ((0x7F, 1), (0x7FF, 2), (0xFFFF, 3), (0x10FFFF, 4))

ByteRange = tuple[int, int]


@dataclass
class Automaton:
    """A nondeterministic automaton with states as indices.

    `steps[s]` are (low, high, target): bytes in [low, high] lead from s to target. `jumps[s]` are (target,
    position): transitions without a byte, where the assertion `position` holds or always (None). `begin` is
    the initial and `end` the accepting state.
    """

    steps: list[list[tuple[int, int, int]]] = field(default_factory=list)
    jumps: list[list[tuple[int, str | None]]] = field(default_factory=list)
    begin: int = 0
    end: int = 0

    def state(self) -> int:
        """Adds a state and returns its index. Raises RegexError where there are too many."""
        if len(self.steps) == _MOST_NFA_STATES:
            raise RegexError(f"the pattern needs more than {_MOST_NFA_STATES} states")
        self.steps.append([])
        self.jumps.append([])
        return len(self.steps) - 1


def automaton(regex: Regex) -> Automaton:
    """Returns an automaton that accepts what the expression matches from its first byte to its last.

    Raises RegexError.
    """
    nfa = Automaton()
    nfa.begin = nfa.state()
    nfa.end = _add(nfa, regex, nfa.begin)
    return nfa


def _add(nfa: Automaton, regex: Regex, begin: int) -> int:
    """Adds an expression that is matched from state `begin`; returns the state after it."""
    if isinstance(regex, Letters):
        return _letters(nfa, regex, begin)
    if isinstance(regex, Assertion):
        end = nfa.state()
        nfa.jumps[begin].append((end, regex.position))
        return end
    if isinstance(regex, Repetition):
        return _add_repetition(nfa, regex, begin)
    if isinstance(regex, Alternation):
        end = nfa.state()
        for item in regex.items:
            start = nfa.state()
            nfa.jumps[begin].append((start, None))
            nfa.jumps[_add(nfa, item, start)].append((end, None))
        return end
    for item in regex.items:
        begin = _add(nfa, item, begin)
    return begin


def _add_repetition(nfa: Automaton, regex: Repetition, begin: int) -> int:
    for _ in range(regex.least):
        begin = _add(nfa, regex.item, begin)
    end = nfa.state()
    if regex.most is None:
        start = nfa.state()
        nfa.jumps[begin].append((start, None))
        nfa.jumps[_add(nfa, regex.item, start)].append((start, None))
        nfa.jumps[start].append((end, None))
        return end
    for _ in range(regex.most - regex.least):
        nfa.jumps[begin].append((end, None))
        # A separate state: nothing leads back to it.
        start = nfa.state()
        nfa.jumps[begin].append((start, None))
        begin = _add(nfa, regex.item, start)
    nfa.jumps[begin].append((end, None))
    return end


def _letters(nfa: Automaton, letters: Letters, begin: int) -> int:
    end = nfa.state()
    # Equal suffixes of byte sequences share their states.
    tails: dict[tuple[ByteRange, ...], int] = {(): end}
    for low, high in letters.ranges:
        for piece in _sequences(low, high):
            nfa.steps[begin].append((*piece[0], _tail(nfa, tails, piece[1:])))
    return end


def _tail(nfa: Automaton, tails: dict[tuple[ByteRange, ...], int], rest: tuple[ByteRange, ...]) -> int:
    if rest not in tails:
        target = _tail(nfa, tails, rest[1:])
        tails[rest] = nfa.state()
        nfa.steps[tails[rest]].append((*rest[0], target))
    return tails[rest]


def _sequences(low: int, high: int) -> Iterator[tuple[ByteRange, ...]]:
    """Yields the byte sequences of a range of code points, as ranges of bytes. Surrogates have none."""
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
    """Yields the byte sequences of code points of one encoded length: splits [`low`, `high`] until the range
    is a product of ranges of bytes."""
    for position in range(1, length):
        rest = (1 << 6 * position) - 1
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
