"""`--verify-diagnostics`: compares emitted diagnostics with `expected-error@+1 {{...}}` comments in the
source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mlc.bindings.diagnostics import Diagnostic, position
from mlc.tools.diagnostics import DiagnosticPrinter
from mlc.tools.sources import Source

_EXPECTED = re.compile(
    r"expected-(error|note|remark|warning)(-re)? *(@([+-][0-9]+|above|below|unknown))? *\{\{(.*)\}\}$"
)
# MLIR adds this note to verifier errors; mlir-opt turns it off in this mode, the bindings cannot.
_OP_NOTE = "see current operation: "


@dataclass
class _Expectation:
    severity: str
    message: str
    regex: re.Pattern[str] | None
    written_at: int
    line: int | None
    matched: bool = field(default=False)

    def matches(self, message: str) -> bool:
        return bool(self.regex.search(message)) if self.regex else self.message in message


class ExpectedDiagnostics:
    """The expectations in one source. Feed it every diagnostic with `see`, then ask `finish`.

    `only_expected` ignores diagnostics for which there is no comment.
    """

    def __init__(self, source: Source, printer: DiagnosticPrinter, *, only_expected: bool = False) -> None:
        self.source, self.printer, self.only_expected = source, printer, only_expected
        self.expectations: list[_Expectation] = []
        self.failed = False
        self._scan()

    def see(self, diagnostic: Diagnostic) -> None:
        """Matches a diagnostic and its notes; prints an error for each that nobody expects."""
        self._match(diagnostic)
        for note in diagnostic.notes:
            if not note.message.startswith(_OP_NOTE):
                self._match(note)

    def finish(self) -> bool:
        """Prints an error for each expectation that nothing met; whether all went as expected."""
        for each in self.expectations:
            if not each.matched:
                self._error(each.written_at, f'expected {each.severity} "{each.message}" was not produced')
        return not self.failed

    def _match(self, diagnostic: Diagnostic) -> None:
        where = position(diagnostic.location)
        line = where[1] if where else None
        here = where is None or where[0] == self.source.name
        near = None
        for each in self.expectations if here else []:
            if each.line != line or not each.matches(diagnostic.message):
                continue
            if each.severity == diagnostic.severity:
                each.matched = True
                return
            near = each
        if self.only_expected:
            return
        if near:
            kinds = f"'{diagnostic.severity}' diagnostic emitted when expecting a '{near.severity}'"
            self._error(near.written_at, kinds)
            return
        self.failed = True
        self.printer.line(
            "error", f"unexpected {diagnostic.severity}: {diagnostic.message}", diagnostic.location
        )

    def _scan(self) -> None:
        """`@above` counts from the last line without a designator, `@below` to the next one."""
        waiting: list[_Expectation] = []
        last_plain = 1
        for number, text in enumerate(self.source.text.split("\n"), start=1):
            match = _EXPECTED.search(text.rstrip())
            if not match:
                for each in waiting:
                    each.line = number
                waiting.clear()
                last_plain = number
                continue
            expectation = self._expectation(match, number, last_plain)
            self.expectations.append(expectation)
            if match[4] == "below":
                waiting.append(expectation)

    def _expectation(self, match: re.Match[str], number: int, last_plain: int) -> _Expectation:
        severity, is_regex, _, offset, message = match.groups()
        line: int | None = number
        if offset == "unknown":
            line = None
        elif offset == "above":
            line = last_plain
        elif offset and offset != "below":
            line = number + int(offset)
        regex = self._compile(message, number) if is_regex else None
        return _Expectation(severity, message, regex, number, line)

    def _compile(self, message: str, number: int) -> re.Pattern[str] | None:
        """Text outside `{{` and `}}` stands for itself, text inside is a regular expression."""
        parts = re.split(r"\{\{(.*?)\}\}", message)
        pattern = "".join(f"({part})" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        try:
            return re.compile(pattern)
        except re.error as error:
            self._error(number, f"invalid regex: {error}")
            return None

    def _error(self, line: int, message: str) -> None:
        self.failed = True
        text = self.printer.source_line(self.source.name, line) or ""
        self.printer.at(self.source.name, line, text.find("expected-") + 1, f"error: {message}")
