"""The error of a translation."""

from __future__ import annotations


class TranslationError(Exception):
    """The input cannot be translated; the message is complete."""
