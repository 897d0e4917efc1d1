"""The errors of the front ends: messages for the user who supplied the model."""

from __future__ import annotations

import re

from mlc.errors import Error

# A word of more characters, more than names and paths have that a tool wrote, is shown by its ends.
_MOST, _BEGIN, _END = 400, 60, 30


class ModelError(Error):
    """A model cannot be imported; names the file, the node and the cause, one line each.

    Control characters, which names in a model may hold, are shown as escapes, so that each line stays one
    line. Of names of more than 400 characters only the ends are shown.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(printable(line) for line in lines))


class UnsupportedModelError(ModelError):
    """A model is valid ONNX, but has operators, types, or uses of them that the front end does not cover."""


def printable(text: str) -> str:
    """Returns the text with escapes instead of control characters, and long words shortened."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return re.sub(rf"\S{{{_MOST + 1},}}", lambda word: f"{word[0][:_BEGIN]}...{word[0][-_END:]}", text)
