"""Prints diagnostics exactly as mlir-opt does: location, message, source line, caret, notes."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic, position
from mlc.tools.sources import InputSource

_TAB = 8
_RESET, _GREEN = "\x1b[0m", "\x1b[1;32m"
_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;35m", "remark": "\x1b[1;34m", "note": "\x1b[1;36m"}
_CALL_STACK_LIMIT = 10


class DiagnosticPrinter:
    """Prints diagnostics to `stream`. Source lines come from `source` or from the files that locations
    name. `color` marks parts with the terminal's colors, as LLVM's tools do.
    """

    def __init__(self, stream: TextIO, source: InputSource | None = None, *, color: bool = False) -> None:
        self.stream, self.color = stream, color
        self.lines: dict[str, list[str]] = {source.name: source.text.split("\n")} if source else {}

    def show(self, diagnostic: Diagnostic) -> None:
        """Prints one diagnostic, the calls that led to its location, and its notes."""
        location = diagnostic.location
        self.line(diagnostic.severity, diagnostic.message, location)
        for caller in _callers(location):
            self.line("note", "called from", caller)
        for note in diagnostic.notes:
            self.line(note.severity, note.message, note.location, with_source=note.location != location)
            location = note.location
        self.stream.flush()

    def line(
        self, severity: str, message: str, location: ir.Location | None, *, with_source: bool = True
    ) -> None:
        """Prints `file:line:column: severity: message`, and the source line unless it was just shown."""
        where = position(location)
        if where is None:
            known = location is not None and not isinstance(location, ir.UnknownLoc)
            prefix = f"{location}: " if known else ""
            self.stream.write(f"<unknown>:0: {self._severity(severity)}{prefix}{message}\n")
            return
        file, row, column = where
        self.at(file, row, column, f"{self._severity(severity)}{message}", with_source=with_source)

    def at(self, file: str, line: int, column: int, message: str, *, with_source: bool = True) -> None:
        """Prints `message` for a position in a file; line and column count from 1."""
        self.stream.write(f"{file}:{line}:{column}: {message}\n")
        text = self.source_line(file, line)
        if with_source and text is not None and column > 0:
            caret = f"{_GREEN}^{_RESET}" if self.color else "^"
            blank = " " * len(text[: column - 1].expandtabs(_TAB))
            self.stream.write(f"{text.expandtabs(_TAB)}\n{blank}{caret}\n")

    def _severity(self, severity: str) -> str:
        return f"{_COLORS.get(severity, '')}{severity}: {_RESET}" if self.color else f"{severity}: "

    def source_line(self, file: str, line: int) -> str | None:
        """The text of a line (1 is the first), or None if the file cannot be read or is shorter."""
        lines = self.source_lines(file)
        return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else None

    def source_lines(self, file: str) -> list[str]:
        """The lines of a file; none if it cannot be read."""
        if file not in self.lines:
            self.lines[file] = _read_lines(file)
        return self.lines[file]


def _read_lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").split("\n")
    except (OSError, ValueError):
        return []


def _callers(location: ir.Location | None) -> list[ir.Location]:
    callers: list[ir.Location] = []
    while (site := _call_site(location)) and len(callers) < _CALL_STACK_LIMIT:
        location = site.caller
        callers.append(location)
    return callers


def _call_site(location: ir.Location | None) -> ir.CallSiteLoc | None:
    """The first call inside names and fused locations."""
    if isinstance(location, ir.CallSiteLoc):
        return location
    if isinstance(location, ir.NameLoc):
        return _call_site(location.child_loc)
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(_call_site, location.locations)), None)
    return None
