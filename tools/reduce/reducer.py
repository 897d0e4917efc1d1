"""Searches for a smaller input: reduces chunks, pipeline, IR or text until nothing gets smaller."""

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
    """Reduces `best`, which is always interesting; `text_only` reduces lines and words only.

    `original` is the input as it is. The form in which IR is reduced may be longer than the input's own, so
    `best` is the base of the next step, and `smallest` the result. `keep` is called with each new result.
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
        """Reduces to the fixed point. `best` is the document reached so far if this raises."""
        # By hash, as texts may be large. Edits that undo one another return to an earlier text.
        seen: set[int] = set()
        while (state := hash(self.best)) not in seen:
            seen.add(state)
            self._chunks()
            self._pipeline()
            for index in range(len(self.best.chunks)):
                self._chunk(index)

    def size(self) -> str:
        """Returns the size of the result for messages."""
        result = self._smallest
        counts = [None if self.text_only else self.workshop.ops(chunk) for chunk in result.chunks]
        known = [count for count in counts if count is not None]
        text, pipeline = self.smallest, result.pipeline
        parts = [count_of(sum(known), "op")] if len(known) == len(counts) else []
        parts += [count_of(passes_of(pipeline), "pass", "es")] if pipeline else []
        parts += [] if parts else [count_of(len(text.splitlines()), "line")]
        return ", ".join([*parts, count_of(_bytes(text), "byte")])

    def _progress(self) -> None:
        size = self.size()
        if size != self._size:
            print(
                f"mlc-reduce: {self._size} -> {size}, {count_of(self.oracle.tests, 'test')}", file=sys.stderr
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
        """Returns the workshop for a chunk that is IR, after replacing the chunk by its printed form."""
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
            len(pieces), lambda kept: base.with_chunk(index, "".join(pieces[piece] for piece in kept))
        )

    def _edit(self, index: int, strategy: str, workshop: Workshop) -> None:
        """Applies as many edits of a strategy as the test allows."""
        base, text = self.best, self.best.chunks[index]
        count = workshop.edits(text, strategy)

        def candidate(kept: list[int]) -> Document | None:
            """Returns the document with all edits but those in `kept`."""
            edited = workshop.apply_edits(text, strategy, set(range(count)) - set(kept))
            return None if edited is None else base.with_chunk(index, edited)

        self._search(count, candidate)

    def _shapes(self, index: int, workshop: Workshop) -> None:
        for dim in dims_of(self.best.chunks[index]):
            texts = (with_dim(self.best.chunks[index], dim, new) for new in (1, 2) if new < dim)
            normal = (workshop.normal(text) for text in texts)
            self._accept(self.best.with_chunk(index, text) for text in normal if text is not None)
        self._progress()

    def _search(self, count: int, candidate: Callable[[list[int]], Document | None]) -> None:
        """Drops as many of `count` items as the test allows; `candidate` makes a document from kept items."""

        def first_interesting(choices: Iterable[list[int]]) -> list[int] | None:
            """Returns the first choice whose document is accepted."""
            tried: list[list[int]] = []

            def documents() -> Iterator[Document]:
                """Yields the documents of the choices."""
                for kept in choices:
                    document = candidate(kept)
                    if document is not None:
                        tried.append(kept)
                        yield document

            index = self._accept(documents())
            return None if index is None else tried[index]

        minimise(list(range(count)), first_interesting)
        self._progress()

    def _accept(self, documents: Iterable[Document], *, may_grow: bool = False) -> int | None:
        """Accepts the first interesting document that is not longer than the best; returns its index."""
        limit = _bytes(self.best.text())
        offered: list[tuple[int, Document]] = []

        def texts() -> Iterator[str]:
            """Yields the texts of the documents that are not too long."""
            for index, document in enumerate(documents):
                text = document.text()
                if may_grow or _bytes(text) <= limit:
                    offered.append((index, document))
                    yield text

        found = self.oracle.first_interesting(texts())
        if found is None:
            return None
        index, self.best = offered[found]
        if _bytes(self.best.text()) < _bytes(self.smallest):
            self.smallest, self._smallest = self.best.text(), self.best
        return index


def _bytes(text: str) -> int:
    return len(text.encode(errors=UNDECODABLE))


def count_of(count: int, noun: str, plural: str = "s") -> str:
    """Returns the count and the noun, in the plural unless the count is 1: 1 test, 2 tests."""
    return f"{count} {noun}{'' if count == 1 else plural}"
