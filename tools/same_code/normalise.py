"""Normalises texts of IR and of code: removes what a restructuring may change.

Removed are locations (callers print none), names of symbols, targets' descriptions, locations of weights,
messages for users, names of source files. Names of attributes, ops and functions that have changed are
written with the names that they had when the hashes were recorded (`renames.tsv`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

RENAMES = Path(__file__).parent / "renames.tsv"
_DROPPED = (
    (re.compile(r'(?:, )?\btloop\.target = "[^"]*"'), ""),
    (re.compile(r'\bhash = "\w*", offset = \d+ : i64, (size = \d+ : i64), source = "[^"]*"'), r"\1"),
    (re.compile(r'\bmessage = "(?:[^"\\]|\\.)*"'), 'message = ""'),
    (re.compile(r'^(?:; ModuleID|source_filename|\t\.file|\t\.ident|\t\.section\t"\.note).*\n', re.M), ""),
    (re.compile(r"[ \t]+$", re.M), ""),
)
_SYMBOL = re.compile(r'(@"?|\bsym_name = ")([\w.$-]+)')


def hash_of(text: str, digits: int = 8) -> str:
    """Returns a hash in hexadecimal digits, few enough to record thousands."""
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=4).hexdigest()[:digits]


def read_renames(path: Path = RENAMES) -> dict[str, str]:
    """Reads the table of renamed attributes, ops and function prefixes: today's name -> the recorded one.

    A name that ends in `*` stands for all names with that prefix. Raises ValueError for a line without a tab.
    """
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return dict(_pair(line, path) for line in lines)


def _pair(line: str, path: Path) -> tuple[str, str]:
    new, tab, old = line.partition("\t")
    if not tab or not new or not old.strip():
        raise ValueError(f"{path}: expected 'NEW<tab>OLD', got {line!r}")
    return new, old.strip()


class Normaliser:
    """Normalises texts; `renames` maps today's names to the recorded ones."""

    def __init__(self, renames: Mapping[str, str]) -> None:
        self._names = {new.rstrip("*"): old.rstrip("*") for new, old in renames.items()}
        forms = [
            rf"{re.escape(new.rstrip('*'))}" + ("" if new.endswith("*") else r"(?![\w.-])")
            for new in sorted(renames, key=lambda name: (-len(name), name))
        ]
        self._pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(forms)})") if forms else None

    def code(self, text: str, symbols: Iterable[str] = ()) -> str:
        """Normalises IR, assembly or PTX; symbols, and names with their prefix, are replaced by indices."""
        text = text.replace("\r", "")
        for index, symbol in enumerate(symbols):
            text = re.sub(rf"(?<!\w){re.escape(symbol)}", f"symbol{index}", text)
        for pattern, replacement in _DROPPED:
            text = pattern.sub(replacement, text)
        return self._restore_names(text)

    def _restore_names(self, text: str) -> str:
        pattern = self._pattern
        if pattern is None:
            return text
        return "\n".join(
            sort_dictionaries(self._with_old_names(line)) if pattern.search(line) else line
            for line in text.split("\n")
        )

    def _with_old_names(self, line: str) -> str:
        assert self._pattern is not None
        return self._pattern.sub(lambda match: self._names[match[0]], line)

    def module(self, parts: Mapping[str, str], entries: Iterable[str]) -> str:
        """Normalises a module whose functions are `parts`, text by symbol: independent of order and names of
        functions, except `entries`. A hash of a function's text replaces its name."""
        kept = set(entries)
        texts = {name: self.code(_with_symbols(text, {name: "self"}, kept)) for name, text in parts.items()}
        names = {name: f"f_{hash_of(texts[name])}" for name in parts if name not in kept}
        done = [
            self.code(_with_symbols(parts[name], names, kept)) if name in kept else texts[name]
            for name in parts
        ]
        return "\n".join(sorted(done))


def _with_symbols(text: str, names: Mapping[str, str], kept: set[str]) -> str:
    """Returns `text` with symbols replaced; those neither in `names` nor `kept` are "other"."""

    def replacement(match: re.Match[str]) -> str:
        """Returns the new text of a symbol."""
        name = match[2]
        return match[0] if name in kept else match[1] + names.get(name, "other")

    return _SYMBOL.sub(replacement, text)


def sort_declarations(text: str) -> str:
    """Returns LLVM IR with its declarations, whose order is that of kernels' names, sorted at the end. Other
    texts only lose empty lines."""
    lines = [line for line in text.split("\n") if line]
    declared = [line for line in lines if line.startswith("declare ")]
    return "\n".join([line for line in lines if not line.startswith("declare ")] + sorted(declared))


def sort_dictionaries(line: str) -> str:
    """Sorts the entries of the attribute dictionaries in a line of generic IR by name, as MLIR does."""
    pieces: list[list[str]] = [[""]]
    closers: list[str] = []
    quoted = False
    previous = ""
    for character in line:
        if character == '"' and previous != "\\":
            quoted = not quoted
        if not quoted and character in "{[(<":
            closers.append(character)
            pieces[-1][-1] += character
            pieces.append([""])
        elif not quoted and character in "}])>" and closers and not (character == ">" and previous == "-"):
            entries = pieces.pop()
            if closers.pop() == "{":
                entries = sorted(
                    (entry.strip() for entry in entries), key=lambda entry: entry.split(" = ")[0]
                )
                pieces[-1][-1] += ", ".join(entries) + character
            else:
                pieces[-1][-1] += ",".join(entries) + character
        elif not quoted and character == "," and len(pieces) > 1:
            pieces[-1].append("")
        else:
            pieces[-1][-1] += character
        previous = character
    while len(pieces) > 1:
        rest = ",".join(pieces.pop())
        pieces[-1][-1] += rest
    return pieces[0][0]
