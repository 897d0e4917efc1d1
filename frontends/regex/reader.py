"""Where one is in a regular expression."""

from __future__ import annotations

import re

from mlc.frontends.regex.syntax_tree import RegexError


class Reader:
    """Reads a pattern from the front."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.place = pattern, 0

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.place >= len(self.pattern)

    @property
    def peek(self) -> str:
        """The next letter; "" at the end."""
        return self.pattern[self.place : self.place + 1]

    def next(self, message: str) -> str:
        """Takes the next letter. Raises RegexError at the end."""
        if self.at_end:
            raise self.error(message)
        self.place += 1
        return self.pattern[self.place - 1]

    def take(self, text: str) -> bool:
        """Takes the text if it is next."""
        found = self.pattern.startswith(text, self.place)
        self.place += len(text) if found else 0
        return found

    def until(self, end: str) -> str:
        """Takes what is in front of `end`, and that. Raises RegexError where it is missing."""
        stop = self.pattern.find(end, self.place)
        if stop < 0:
            raise self.error(f"{end} is missing")
        text, self.place = self.pattern[self.place : stop], stop + len(end)
        return text

    def literal(self) -> str:
        """Takes what follows \\Q, up to \\E or the end."""
        stop = self.pattern.find("\\E", self.place)
        stop = len(self.pattern) if stop < 0 else stop
        text, self.place = self.pattern[self.place : stop], min(stop + 2, len(self.pattern))
        return text

    def match(self, expression: str) -> re.Match[str] | None:
        """Takes what Python's expression matches next."""
        found = re.compile(expression, re.ASCII).match(self.pattern, self.place)
        self.place = found.end() if found else self.place
        return found

    def error(self, message: str) -> RegexError:
        """An error at this place."""
        return RegexError(f"the pattern {self.pattern!r} at {self.place}: {message}")
