"""Input of the tools: reading files or stdin, splitting into chunks, writing results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlc.tools.child_activity import waiting

SPLIT_MARKER = "// -----"
BYTECODE_MAGIC = b"ML\xefR"

# The last characters of the marker, left out of the search so that near misses can be pointed out.
_MARKER_TAIL = 2


@dataclass(frozen=True)
class InputSource:
    """IR text with the name under which diagnostics show it.

    `line` is the line, counted from 1, at which the text begins in the input that it is a part of; blank
    lines replace the text before it. It is 0 for the begin of a file.
    """

    name: str
    text: str
    line: int = 0


def read_input(path: str) -> tuple[str, bytes]:
    """Returns the name for diagnostics and the bytes of `path`, where "-" is stdin. Raises `OSError`."""
    with waiting():  # for the user or process that writes it
        if path != "-":
            return path, Path(path).read_bytes()
        try:
            return "<stdin>", sys.stdin.buffer.read()
        except OSError as error:
            raise OSError(error.errno, error.strerror, "<stdin>") from error


@dataclass(frozen=True)
class Chunk:
    """A part of the input that is processed by itself: bytecode, or text with the name that it goes by."""

    source: InputSource
    raw: bytes

    @property
    def is_bytecode(self) -> bool:
        """Whether this is MLIR bytecode."""
        return self.raw.startswith(BYTECODE_MAGIC)


def chunks_of(name: str, raw: bytes, marker: str | None = None) -> list[Chunk]:
    """Returns the chunks of an input called `name`: one, or, for text, those between lines of `marker`."""
    source = InputSource(name, raw.decode(errors="replace"))
    if marker is None or raw.startswith(BYTECODE_MAGIC):
        return [Chunk(source, raw)]
    return [Chunk(part, part.text.encode()) for part in split_source(source, marker)]


def split_source(source: InputSource, marker: str = SPLIT_MARKER) -> Iterator[InputSource]:
    """Yields the chunks between lines that consist of `marker`, with the lines and columns of `source`."""
    # A head of at least one character, without which the search would not advance.
    cut = len(marker) - min(_MARKER_TAIL, len(marker) - 1)
    start, search, head, tail = 0, 0, marker[:cut], marker[cut:]
    text = source.text
    while (found := text.find(head, search)) >= 0:
        search = found + len(head)
        end = found + len(marker)
        if text[search:end] == tail and text[end : end + 1] not in ("", "-"):
            yield _chunk(source, start, found)
            start = search = end
        else:
            _warn_of_near_miss(source, search)
    yield _chunk(source, start, len(text))


def _chunk(source: InputSource, start: int, end: int) -> InputSource:
    """Returns a part of `source`, blank up to `start`, so that lines and columns are those of the whole."""
    lines, column = source.text.count("\n", 0, start), start - source.text.rfind("\n", 0, start) - 1
    return InputSource(
        source.name, "\n" * lines + " " * column + source.text[start:end], lines + 1 if start else 0
    )


def _warn_of_near_miss(source: InputSource, position: int) -> None:
    line, column = source.text.count("\n", 0, position), position - source.text.rfind("\n", 0, position)
    message = f"{source.name}:{line + 1}:{column}: warning: near miss with file split marker"
    print(message, source.text.split("\n")[line], f"{'^':>{column}}", sep="\n", file=sys.stderr)


def write_output(path: str, data: str | bytes) -> None:
    """Writes to `path`, a regular file in one step; "-" is stdout. Raises `OSError` that names `path`."""
    with waiting():
        if path == "-":
            _write_stdout(data.encode() if isinstance(data, str) else data)
        else:
            from mlc.pipelines.output_file import write_file

            write_file(path, data)


def _write_stdout(raw: bytes) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
    except OSError as error:
        # What could not be written must not be tried again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OSError(error.errno, error.strerror, "<stdout>") from error
