"""The findings of the check of words: the words of the glossary that occur in a text."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mlc.tools.checks.glossary import ALLOWED, ENTRIES, Allowed, Entry
from mlc.tools.checks.texts import NAME, STRING, Text, identifier_words


@dataclass(frozen=True, order=True)
class Finding:
    """A fault at a line and a column of a file: what was found, of which `rule`, and what would be right."""

    path: str
    line: int
    column: int
    rule: str
    found: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.found} -> {self.instead}"


def words_of_text(path: str, text: Text, lines: list[str]) -> Iterator[Finding]:
    """Yields the words of the glossary in `text`, which is of the file `path` with these `lines`."""
    if text.category == NAME or (text.category == STRING and _SYMBOL.fullmatch(text.content)):
        matches = _in_name(text.content, 0)
    else:
        matches = _in_prose(text.content)
    for entry, offset, found in matches:
        line, column = text.position(offset)
        context = lines[line - 1] if line <= len(lines) else ""
        if not _is_allowed(path, entry, context, column - 1, len(found)):
            yield Finding(path, line, column, entry.word, found, entry.instead)


_SYMBOL = re.compile(r"[\w.@%-]+")
_REFERENCE = re.compile(
    r"`[\w.-]+`|\b\w+(?:[._]\w+)+\b|\b(?:graph|tloop|accel|host|nvgpu|kernel|llvm)-[\w-]+|\S*/\S*\w"
)


def _match_line_ends(prose: str) -> str:
    """Lets spaces match line ends, except in look-behinds, whose width is fixed."""
    return re.sub(r"\(\?<!(?:[^()]*)\)| ", lambda match: match[0] if len(match[0]) > 1 else r"\s+", prose)


_PROSE = [
    (entry, re.compile(_match_line_ends(entry.prose), re.IGNORECASE)) for entry in ENTRIES if entry.prose
]
_NAMES = [(entry, name.split()) for entry in ENTRIES for name in entry.names]
_FIRST_WORDS = {words[0] for _, words in _NAMES}


def _in_prose(content: str) -> Iterator[tuple[Entry, int, str]]:
    """Yields entry, offset and found text. Names in the text are searched as names are."""
    plain = list(content)
    for reference in _REFERENCE.finditer(content):
        yield from _in_name(reference[0], reference.start())
        plain[reference.start() : reference.end()] = "_" * len(reference[0])
    masked = "".join(plain)
    taken: list[tuple[int, int]] = []
    for entry, pattern in _PROSE:
        for match in pattern.finditer(masked):
            group = "word" if match.groupdict().get("word") else 0
            start, end = match.span(group)
            if not any(start < other_end and other_start < end for other_start, other_end in taken):
                taken.append((start, end))
                yield entry, start, " ".join(match[group].split())


def _in_name(name: str, offset: int) -> Iterator[tuple[Entry, int, str]]:
    words = identifier_words(name)
    if _FIRST_WORDS.isdisjoint(words):
        return
    for entry, sought in _NAMES:
        count = len(sought)
        if any(words[i : i + count] == sought for i in range(len(words) - count + 1)):
            yield entry, offset, name


def _is_allowed(path: str, entry: Entry, line: str, start: int, length: int) -> bool:
    return any(
        match.start() < start + max(length, 1) and start < match.end()
        for allowed in ALLOWED
        if allowed.word == entry.word and _covers(allowed, path)
        for match in re.finditer(allowed.pattern, line)
    )


def _covers(allowed: Allowed, path: str) -> bool:
    return fnmatch.fnmatch(path, allowed.files)
