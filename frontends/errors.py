"""The errors of the front ends: messages for the user who supplied the model."""

from __future__ import annotations

from mlc.errors import Error


class ModelError(Error):
    """A model cannot be imported; names the file, the node and the cause, one line each.

    Control characters, which names in a model may hold, are shown as escapes, so that each line stays one
    line.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(printable(line) for line in lines))


class UnsupportedModelError(ModelError):
    """A model is valid ONNX, but has operators, types, or uses of them that the front end does not cover."""


def printable(text: str) -> str:
    """Returns the text with escapes instead of control characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
