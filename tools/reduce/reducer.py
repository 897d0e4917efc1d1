"""The search: chunks, pipeline, IR or text, over and over until nothing gets smaller."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from mlc.tools.reduce.candidates import Workshop, dims_of, with_dim
from mlc.tools.reduce.delta_debugging import minimise
from mlc.tools.reduce.document import Document, options_of, passes_of, with_options, with_passes
from mlc.tools.reduce.oracle import UNDECODABLE, Oracle
from mlc.tools.reduce.strategies import STRATEGIES

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

_NO_IR = (
    "the input is reduced by lines and words, as it is no IR that mlc-opt accepts; "
    "ops of unknown dialects need --allow-unregistered-dialect"
)
_NO_INTEREST = "the input is reduced by lines and words: as mlc-opt prints it, it is not interesting"


@dataclass
class Reducer:
    """Reduces `best`, which is interesting at any time; `text_only` leaves the IR alone.

    `original` is the input as it is. The form in which IR is reduced may be longer than the input's own, so
    that `best` is the base of the next step, and `smallest` the result. `keep` is handed each new result.
    """

    original: str
    best: Document
    oracle: Oracle
    workshop: Workshop
    text_only: bool = False
    keep: Callable[[str], None] | None = None
    smallest: str = field(init=False)
    _smallest: Document = field(init=False)
    _size: str = field(init=False)
    _explained: bool = False

    def __post_init__(self) -> None:
        self.smallest, self._smallest = self.original, self.best
        self._size = self.size()

    def run(self) -> None:
        """Reduces to the fixed point. `best` holds what was reached if this raises."""
        # By hash, as texts may be large. Edits that undo one another come back to a text.
        seen: set[int] = set()
        while (state := hash(self.best)) not in seen:
            seen.add(state)
            self._chunks()
            self._pipeline()
            for index in range(len(self.best.chunks)):
                self._chunk(index)

    def size(self) -> str:
        """The size of the result, for people."""
        result = self._smallest
        counts = [None if self.text_only else self.workshop.ops(chunk) for chunk in result.chunks]
        known = [count for count in counts if count is not None]
        text, pipeline = self.smallest, result.pipeline
        parts = [counted(sum(known), "op")] if len(known) == len(counts) else []
        parts += [counted(passes_of(pipeline), "pass", "es")] if pipeline else []
        parts += [] if parts else [counted(len(text.splitlines()), "line")]
        return ", ".join([*parts, counted(_bytes(text), "byte")])

    def _progress(self) -> None:
        size = self.size()
        if size != self._size:
            print(
                f"mlc-reduce: {self._size} -> {size}, {counted(self.oracle.tests, 'test')}", file=sys.stderr
            )
            self._size = size
            if self.keep:
                self.keep(self.smallest)

    def _chunks(self) -> None:
        chunks = self.best.chunks
        if len(chunks) > 1:
            self._search(len(chunks), lambda kept: replace(self.best, chunks=tuple(chunks[i] for i in kept)))

    def _pipeline(self) -> None:
        """Drops passes, then options of those that stay."""
        for count, part in ((passes_of, with_passes), (options_of, with_options)):
            pipeline = self.best.pipeline
            if pipeline:
                self._search(
                    count(pipeline),
                    lambda kept, part=part, whole=pipeline: replace(self.best, pipeline=part(whole, kept)),
                )

    def _chunk(self, index: int) -> None:
        workshop = None if self.text_only else self._workshop_for(index)
        if workshop is None:
            self._pieces(index, self.best.chunks[index].splitlines(keepends=True))
            self._pieces(index, _WORDS.findall(self.best.chunks[index]))
            return
        for strategy in STRATEGIES:
            self._edit(index, strategy, workshop)
        self._shapes(index, workshop)

    def _workshop_for(self, index: int) -> Workshop | None:
        """What reduces the chunk as IR, after the chunk became what its printer writes."""
        text, why = self.best.chunks[index], _NO_IR
        for workshop in (self.workshop, replace(self.workshop, generic=True)):
            normal = workshop.normal(text)
            if normal is not None and workshop.ops(normal) is not None:
                why = _NO_INTEREST
                if self._accept([self.best.with_chunk(index, normal)], may_grow=True) is not None:
                    return workshop
        if not self._explained:
            print(f"mlc-reduce: note: {why}", file=sys.stderr)
            self._explained = True
        return None

    def _pieces(self, index: int, pieces: list[str]) -> None:
        base = self.best
        self._search(
            len(pieces), lambda kept: base.with_chunk(index, "".join(pieces[number] for number in kept))
        )

    def _edit(self, index: int, strategy: str, workshop: Workshop) -> None:
        """Makes as many of a strategy's edits as the test bears."""
        base, text = self.best, self.best.chunks[index]
        count = workshop.edits(text, strategy)

        def candidate(kept: list[int]) -> Document | None:
            edited = workshop.edited(text, strategy, set(range(count)) - set(kept))
            return None if edited is None else base.with_chunk(index, edited)

        self._search(count, candidate)

    def _shapes(self, index: int, workshop: Workshop) -> None:
        for dim in dims_of(self.best.chunks[index]):
            texts = (with_dim(self.best.chunks[index], dim, new) for new in (1, 2) if new < dim)
            normal = (workshop.normal(text) for text in texts)
            self._accept(self.best.with_chunk(index, text) for text in normal if text is not None)
        self._progress()

    def _search(self, count: int, candidate: Callable[[list[int]], Document | None]) -> None:
        """Drops what can be dropped of `count` items; `candidate` makes the document without the others."""

        def first_interesting(choices: Iterable[list[int]]) -> list[int] | None:
            tried: list[list[int]] = []

            def documents() -> Iterator[Document]:
                for kept in choices:
                    document = candidate(kept)
                    if document is not None:
                        tried.append(kept)
                        yield document

            number = self._accept(documents())
            return None if number is None else tried[number]

        minimise(list(range(count)), first_interesting)
        self._progress()

    def _accept(self, documents: Iterable[Document], *, may_grow: bool = False) -> int | None:
        """Takes the first interesting document that is not longer than the best; its number, from 0."""
        limit = _bytes(self.best.text())
        offered: list[tuple[int, Document]] = []

        def texts() -> Iterator[str]:
            for number, document in enumerate(documents):
                text = document.text()
                if may_grow or _bytes(text) <= limit:
                    offered.append((number, document))
                    yield text

        found = self.oracle.first_interesting(texts())
        if found is None:
            return None
        number, self.best = offered[found]
        if _bytes(self.best.text()) < _bytes(self.smallest):
            self.smallest, self._smallest = self.best.text(), self.best
        return number


def _bytes(text: str) -> int:
    return len(text.encode(errors=UNDECODABLE))


def counted(number: int, noun: str, plural: str = "s") -> str:
    """`number` and `noun` in the right number: 1 test, 2 tests."""
    return f"{number} {noun}{'' if number == 1 else plural}"
