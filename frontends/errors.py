"""The errors of the front ends: messages for the person who gave the model."""

from __future__ import annotations


class ModelError(Exception):
    """The model cannot be imported. The message names file, place and cause; it is shown as it is.

    Control characters, which names in a model may hold, are shown as escapes, so that each line stays one
    line.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(_printable(line) for line in lines))


class UnsupportedModelError(ModelError):
    """A model that ONNX allows, with operators, types, or uses of them that the front end does not cover."""


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
