"""The smallest deterministic automaton over bytes, as a table."""

from __future__ import annotations

from functools import cache

import numpy as np

from mlc.frontends.regex.automaton import Automaton, automaton
from mlc.frontends.regex.parser import parse
from mlc.frontends.regex.syntax_tree import RegexError

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
