"""MLIR's textual pipelines: `builtin.module(cse,func.func(canonicalize{top-down=false}))`.

pipeline ::= anchor `(` element (`,` element)* `)`
element  ::= pipeline | name options?
options  ::= `{` text with balanced brackets and quotes `}`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mlc.passes.base import PassError
from mlc.passes.options import OptionError, matching

_NAME = re.compile(r"[A-Za-z_][\w.$-]*")


class PipelineError(PassError):
    """The text of a pipeline is malformed, or has an unknown name; points into the text."""

    def __init__(self, message: str, text: str = "", position: int | None = None) -> None:
        self.text, self.position = text, position
        where = "" if position is None else f"\n  {text}\n  {' ' * position}^"
        super().__init__(f"{message}{where}")


@dataclass(frozen=True)
class PassNode:
    """A pass or a named pipeline; `options` is the text between the braces."""

    name: str
    options: str = ""
    position: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.name}{{{self.options}}}" if self.options else self.name


@dataclass(frozen=True)
class NestedElements:
    """Elements that run, in order, on each op called `anchor`."""

    anchor: str
    elements: tuple[NestedElements | PassNode, ...] = ()
    position: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(str(element) for element in self.elements)})"


def parse_pipeline(text: str) -> NestedElements:
    """Parses an anchored pipeline. Raises `PipelineError`."""
    elements = parse_elements(text)
    if len(elements) == 1 and isinstance(elements[0], NestedElements):
        return elements[0]
    if not elements:
        raise PipelineError(
            "the pipeline is empty; expected one with an anchor, such as 'builtin.module(...)'"
        )
    raise PipelineError("expected a pipeline with an anchor, such as 'builtin.module(...)'", text, 0)


def parse_elements(text: str) -> tuple[NestedElements | PassNode, ...]:
    """Parses a comma-separated list of elements without an anchor. Raises `PipelineError`."""
    parser = _PipelineParser(text)
    elements = parser.elements()
    if parser.at < len(text):
        raise parser.error("expected ',' or the end of the pipeline")
    return elements


class _PipelineParser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.skip_spaces()

    def elements(self) -> tuple[NestedElements | PassNode, ...]:
        """Parses elements up to the end or a closing parenthesis."""
        found: list[NestedElements | PassNode] = []
        if not self.text[self.at : self.at + 1].strip(")"):
            return ()
        while True:
            found.append(self.element())
            if not self.accept(","):
                return tuple(found)

    def element(self) -> NestedElements | PassNode:
        """Parses a pass or a pipeline with an anchor."""
        start = self.at
        match = _NAME.match(self.text, self.at)
        if not match:
            raise self.error("expected the name of a pass or of an anchor op")
        self.at = match.end()
        self.skip_spaces()
        if self.accept("("):
            elements = self.elements()
            if not self.accept(")"):
                raise self.error(f"expected ',' or the ')' that closes '{match[0]}('")
            return NestedElements(match[0], elements, start)
        return PassNode(match[0], self.options(), start)

    def options(self) -> str:
        """Parses optional braces and returns the text between them."""
        if self.text[self.at : self.at + 1] != "{":
            return ""
        try:
            end = matching(self.text, self.at)
        except OptionError:
            raise self.error("nothing closes this '{'") from None
        inside = self.text[self.at + 1 : end].strip()
        self.at = end + 1
        self.skip_spaces()
        return inside

    def accept(self, char: str) -> bool:
        """Whether `char` comes next, which is then consumed."""
        found = self.text[self.at : self.at + 1] == char
        if found:
            self.at += 1
            self.skip_spaces()
        return found

    def skip_spaces(self) -> None:
        """Moves to the next character that is no white space."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    def error(self, message: str) -> PipelineError:
        """Returns an error that points to the current position."""
        return PipelineError(message, self.text, self.at)
