"""The error of a translation."""

from __future__ import annotations

from mlc.errors import Error


class TranslationError(Error):
    """The input cannot be translated; the message is complete."""
