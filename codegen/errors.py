"""Errors of code generation."""

from __future__ import annotations


class CodegenError(Exception):
    """Code could not be generated; the message is complete and for the user.

    `notes` are further lines: LLVM's own message, what would help.
    """

    def __init__(self, message: str, notes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.notes = notes

    def __str__(self) -> str:
        return "\n".join((self.message, *self.notes))
