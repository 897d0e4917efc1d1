"""Errors as users see them: one message, notes, an exit status."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence

from mlc.errors import Error
from mlc.frontends.errors import printable
from mlc.tools.mlc.session import CommandSession

FAILURE, INTERRUPTED = 1, 130


class ToolError(Error):
    """A command cannot do its work; `message` is complete, `notes` are further lines."""

    def __init__(self, message: str, notes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.notes = tuple(notes)


def report_failure(error: Exception, session: CommandSession) -> int:
    """Prints `error` on stderr, with --json also on stdout; returns the exit status."""
    message, notes = describe(error)
    if session.traceback or os.environ.get("MLC_TRACEBACK", "0") not in ("", "0"):
        traceback.print_exception(error)
    print(f"mlc: error: {printable(message)}", file=sys.stderr)
    for note in notes:
        print(f"  {printable(note)}", file=sys.stderr)
    if session.json:
        print(json.dumps({"error": message, "notes": notes}))
    return FAILURE


def describe(error: BaseException) -> tuple[str, list[str]]:
    """The message and the notes of an error."""
    if isinstance(error, OSError) and error.strerror:
        where = ", ".join(str(name) or "''" for name in (error.filename, error.filename2) if name is not None)
        return f"{where or 'output'}: {error.strerror}", []
    if isinstance(error, MemoryError):
        return "out of memory", []
    if not isinstance(error, Error):
        text = str(error).partition("\n")[0]
        return f"internal error: {type(error).__name__}: {text}", [
            "MLC_TRACEBACK=1 shows where; please report it"
        ]
    lines = str(getattr(error, "message", error)).splitlines() or [type(error).__name__]
    notes = [note if isinstance(note, str) else str(note[0]) for note in getattr(error, "notes", ())]
    location = getattr(error, "location", None)
    if location is not None:
        notes.insert(0, f"at {str(location).removeprefix('loc(').removesuffix(')')}")
    if hasattr(error, "reproducer") and error.reproducer:
        notes.append(f"reproduce with: mlc-opt --run-reproducer {error.reproducer}")
    return lines[0], [*lines[1:], *(line for note in notes for line in note.splitlines())]
