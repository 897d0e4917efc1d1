"""Strings of the IR, which may hold any bytes."""

from __future__ import annotations

from mlc.bindings import ir


def string_text(attribute: ir.Attribute) -> str:
    """The text of a string attribute; `text_bytes` gives back the bytes that are not UTF-8."""
    return ir.StringAttr(attribute).value_bytes.decode(errors="surrogateescape")


def text_bytes(text: str) -> bytes:
    """The bytes of text made of `string_text`s."""
    return text.encode(errors="surrogateescape")
