"""The one error type of the front ends: a message for the person who gave the model."""

from __future__ import annotations


class ImportFailure(Exception):
    """The model cannot be imported. The message names file, place and cause; it is shown as it is."""
