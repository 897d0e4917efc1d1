"""An input taken apart: its chunks, and the pipeline of a reproducer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mlc.passes.base import PassFailure
from mlc.pipelines.grammar import Nest, PassNode, parse_pipeline
from mlc.pipelines.reproducer import read_reproducer, reproducer_text
from mlc.tools.sources import SPLIT_MARKER, Source, split_source


@dataclass(frozen=True)
class Document:
    """Chunks of text between split markers; `pipeline` is that of the reproducer, if it is one."""

    chunks: tuple[str, ...]
    pipeline: str | None = None
    verify_each: bool = True

    def text(self) -> str:
        """The whole input again."""
        body = f"{SPLIT_MARKER}\n".join(self.chunks)
        return body if self.pipeline is None else reproducer_text(body, self.pipeline, self.verify_each)

    def with_chunk(self, index: int, text: str) -> Document:
        """The same with another text for one chunk."""
        return replace(self, chunks=(*self.chunks[:index], text, *self.chunks[index + 1 :]))


def read_document(name: str, text: str) -> Document:
    """Takes the input apart."""
    reproducer = read_reproducer(text)
    body = reproducer.text if reproducer else text
    parts = [part.text.removeprefix("\n") for part in split_source(Source(name, body))]
    chunks = tuple(part if part.endswith("\n") else f"{part}\n" for part in parts)
    if reproducer is None:
        return Document(chunks)
    return Document(chunks, reproducer.pipeline, reproducer.verify_each)


def passes_of(pipeline: str) -> int:
    """How many passes a pipeline holds; 0 if it cannot be read."""
    try:
        return _count(parse_pipeline(pipeline))
    except PassFailure:
        return 0


def _count(nest: Nest | PassNode) -> int:
    return sum(map(_count, nest.elements)) if isinstance(nest, Nest) else 1


def with_passes(pipeline: str, kept: list[int]) -> str:
    """The pipeline with the passes numbered `kept` only; anchors that become empty go."""
    numbers = iter(range(len(pipeline)))
    root = parse_pipeline(pipeline)
    return str(Nest(root.anchor, _kept(root, numbers, set(kept))))


def _kept(nest: Nest, numbers: Iterator[int], kept: set[int]) -> tuple[Nest | PassNode, ...]:
    elements: list[Nest | PassNode] = []
    for each in nest.elements:
        if isinstance(each, PassNode):
            if next(numbers) in kept:
                elements.append(each)
        elif inner := _kept(each, numbers, kept):
            elements.append(Nest(each.anchor, inner))
    return tuple(elements)
