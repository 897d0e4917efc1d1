"""`--verify-diagnostics`: compares emitted diagnostics with `expected-error@+1 {{...}}` comments in the
source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mlc.bindings.diagnostics import Diagnostic, position
from mlc.tools.diagnostics import DiagnosticPrinter
from mlc.tools.sources import InputSource

_EXPECTED = re.compile(
    r"expected-(error|note|remark|warning)(-re)? *(@([+-][0-9]+|above|below|unknown))? *\{\{(.*)\}\}$"
)
# Part of an error message of Python's regular expressions -> the message of LLVM's.
_REGEX_ERRORS = (
    ("parenthesis", "parentheses not balanced"),
    ("subpattern", "parentheses not balanced"),
    ("character set", "brackets ([ ]) not balanced"),
    ("repeat", "repetition-operator operand invalid"),
)
# MLIR adds this note to verifier errors; mlir-opt turns it off in this mode, the bindings cannot.
_OP_NOTE = "see current operation: "


@dataclass
class _Expectation:
    severity: str
    message: str
    regex: re.Pattern[str] | None
    file: str
    written_at: int
    line: int | None
    matched: bool = field(default=False)

    def matches(self, message: str) -> bool:
        """Whether `message` contains the text, or matches the expression."""
        return bool(self.regex.search(message)) if self.regex else self.message in message


class ExpectedDiagnostics:
    """The expectations in one source, and in files that diagnostics name, such as a transform library.

    Pass every diagnostic to `see`, then call `finish`. `only_expected` ignores diagnostics without a comment.
    """

    def __init__(
        self, source: InputSource, printer: DiagnosticPrinter, *, only_expected: bool = False
    ) -> None:
        self.source, self.printer, self.only_expected = source, printer, only_expected
        self.expectations: dict[str, list[_Expectation]] = {}
        self.failed = False
        self._scan(source.name)

    def see(self, diagnostic: Diagnostic) -> None:
        """Matches a diagnostic and its notes; prints an error for each that is not expected."""
        self._match(diagnostic)
        for note in diagnostic.notes:
            if not note.message.startswith(_OP_NOTE):
                self._match(note)

    def finish(self) -> bool:
        """Prints an error for each expectation without a match; returns whether there was no error."""
        for expectation in (expectation for file in self.expectations.values() for expectation in file):
            if not expectation.matched:
                message = f'expected {expectation.severity} "{expectation.message}" was not produced'
                self._error(expectation, message)
        return not self.failed

    def _match(self, diagnostic: Diagnostic) -> None:
        where = position(diagnostic.location)
        file, line = (where[0], where[1]) if where else (self.source.name, None)
        if file not in self.expectations:
            self._scan(file)
        near = None
        for expectation in self.expectations[file]:
            if expectation.line != line or not expectation.matches(diagnostic.message):
                continue
            if expectation.severity == diagnostic.severity:
                expectation.matched = True
                return
            near = expectation
        if self.only_expected:
            return
        if near:
            message = f"'{diagnostic.severity}' diagnostic emitted when expecting a '{near.severity}'"
            self._error(near, message)
            return
        self.failed = True
        self.printer.line(
            "error", f"unexpected {diagnostic.severity}: {diagnostic.message}", diagnostic.location
        )

    def _scan(self, file: str) -> None:
        """`@above` counts from the last line without a designator, `@below` to the next one."""
        expected = self.expectations[file] = []
        waiting: list[_Expectation] = []
        last_plain = 1
        for line, text in enumerate(self.printer.source_lines(file), start=1):
            match = _EXPECTED.search(text.rstrip())
            if not match:
                for expectation in waiting:
                    expectation.line = line
                waiting.clear()
                last_plain = line
                continue
            expectation = self._expectation(match, file, line, last_plain)
            expected.append(expectation)
            if match[4] == "below":
                waiting.append(expectation)

    def _expectation(self, match: re.Match[str], file: str, written_at: int, last_plain: int) -> _Expectation:
        severity, is_regex, _, offset, message = match.groups()
        line: int | None = written_at
        if offset == "unknown":
            line = None
        elif offset == "above":
            line = last_plain
        elif offset and offset != "below":
            line = written_at + int(offset)
        expectation = _Expectation(severity, message, None, file, written_at, line)
        if is_regex:
            self._compile(expectation)
        return expectation

    def _compile(self, expectation: _Expectation) -> None:
        """Compiles a message in which text between `{{` and `}}` is a regular expression."""
        try:
            expectation.regex = re.compile(_pattern(expectation.message))
        except re.error as error:
            known = (message for part, message in _REGEX_ERRORS if part in error.msg)
            self._error(expectation, f"invalid regex: {next(known, error.msg)}")
        except ValueError as error:
            self._error(expectation, str(error))

    def _error(self, at: _Expectation, message: str) -> None:
        self.failed = True
        text = self.printer.source_line(at.file, at.written_at) or ""
        self.printer.at(at.file, at.written_at, text.find("expected-") + 1, f"error: {message}")


def _pattern(message: str) -> str:
    """Returns the message of an `expected-*-re` comment as one expression. Raises `ValueError`."""
    pattern, rest = "", message
    while rest:
        plain, opened, rest = rest.partition("{{")
        pattern += re.escape(plain)
        if opened:
            inside, closed, rest = rest.partition("}}")
            if not closed:
                raise ValueError("found start of regex with no end '}}'")
            pattern += f"({inside})"
    return pattern
