"""Nondeterministic automata over bytes: a regular expression's letters in UTF-8 (Thompson 1968)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mlc.frontends.regex.syntax_tree import Choice, Letters, Place, Regex, RegexError, Repeated

MOST_STATES = 20000
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
        if len(self.steps) == MOST_STATES:
            raise RegexError(f"the pattern needs more than {MOST_STATES} states")
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
