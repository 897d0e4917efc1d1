"""Splits an input into its chunks and the pipeline of a reproducer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from mlc.passes.base import PassError
from mlc.passes.options import OptionError, print_options, split_options
from mlc.pipelines.grammar import NestedElements, PassNode, parse_pipeline
from mlc.pipelines.reproducer import read_reproducer, reproducer_text
from mlc.tools.sources import SPLIT_MARKER, InputSource, split_source


@dataclass(frozen=True)
class Document:
    """Chunks of text between split markers; `pipeline` is that of the reproducer, if it is one."""

    chunks: tuple[str, ...]
    pipeline: str | None = None
    verify_each: bool = True
    flags: str = ""

    def text(self) -> str:
        """Returns the whole input."""
        body = f"{SPLIT_MARKER}\n".join(self.chunks)
        if self.pipeline is None:
            return body
        return reproducer_text(body, self.pipeline, self.verify_each, self.flags)

    def with_chunk(self, index: int, text: str) -> Document:
        """Returns the document with another text for one chunk."""
        return replace(self, chunks=(*self.chunks[:index], text, *self.chunks[index + 1 :]))


def read_document(name: str, text: str) -> Document:
    """Splits an input called `name`."""
    reproducer = read_reproducer(text)
    body = reproducer.text if reproducer else text
    # A part begins with blank lines, which stand for the text before it.
    parts = [part.text.lstrip() for part in split_source(InputSource(name, body))]
    chunks = tuple(part if part.endswith("\n") else f"{part}\n" for part in parts)
    if reproducer is None:
        return Document(chunks)
    return Document(chunks, reproducer.pipeline, reproducer.verify_each, reproducer.flags)


def passes_of(pipeline: str) -> int:
    """Returns the number of passes of a pipeline; 0 if it cannot be parsed."""
    return len(_passes(pipeline))


def with_passes(pipeline: str, kept: list[int]) -> str:
    """Returns the pipeline with only the passes whose indices are `kept`, without empty anchors."""
    indices = count()
    return _map_passes(pipeline, lambda node: node if next(indices) in kept else None)


def options_of(pipeline: str) -> int:
    """Returns the number of options of all passes of a pipeline; 0 if it cannot be parsed."""
    try:
        return sum(len(list(split_options(node.options))) for node in _passes(pipeline))
    except OptionError:
        return 0


def with_options(pipeline: str, kept: list[int]) -> str:
    """Returns the pipeline with only the options whose indices are `kept`."""
    indices = count()

    def change(node: PassNode) -> PassNode:
        """Returns the pass with its kept options."""
        options = [option for option in split_options(node.options) if next(indices) in kept]
        texts = (name if value is None else print_options({name: value}) for name, value in options)
        return replace(node, options=" ".join(texts))

    return _map_passes(pipeline, change)


def _passes(pipeline: str) -> list[PassNode]:
    found: list[PassNode] = []
    with suppress(PassError):
        _map_passes(pipeline, found.append)
    return found


def _map_passes(pipeline: str, change: Callable[[PassNode], PassNode | None]) -> str:
    """Replaces each pass of a pipeline by `change` of it; None drops it. Raises `PipelineError`."""
    root = parse_pipeline(pipeline)
    return str(NestedElements(root.anchor, _elements(root, change)))


def _elements(
    nest: NestedElements, change: Callable[[PassNode], PassNode | None]
) -> tuple[NestedElements | PassNode, ...]:
    elements: list[NestedElements | PassNode] = []
    for element in nest.elements:
        if isinstance(element, PassNode):
            if (changed := change(element)) is not None:
                elements.append(changed)
        elif inner := _elements(element, change):
            elements.append(NestedElements(element.anchor, inner))
    return tuple(elements)
