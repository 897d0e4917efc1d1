"""Errors of code generation."""

from __future__ import annotations

from collections.abc import Mapping
from signal import Signals
from typing import Any

from mlc.errors import Error


class CodegenError(Error):
    """Code cannot be generated; the message is complete.

    `notes` are further lines: LLVM's message, hints.
    """

    def __init__(self, message: str, notes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.notes = notes

    def __str__(self) -> str:
        return "\n".join((self.message, *self.notes))


class JobError(CodegenError):
    """A job of the worker pool raised an exception.

    `type` is the exception's full name, `message`, `notes` and `fields` are its attributes (fields as JSON
    values or text), `traceback` is the text from the worker.
    """

    def __init__(
        self,
        type_name: str,
        message: str,
        notes: tuple[str, ...] = (),
        fields: Mapping[str, Any] | None = None,
        traceback: str = "",
    ) -> None:
        super().__init__(message, notes)
        self.type = type_name
        self.fields = dict(fields or {})
        self.traceback = traceback

    @classmethod
    def from_reply(cls, error: Mapping[str, Any]) -> JobError:
        """Makes the error from a worker's reply."""
        notes = tuple(error["notes"])
        return cls(error["type"], error["message"], notes, error["fields"], error["traceback"])


class WorkerCrashError(CodegenError):
    """The worker process of a job died or ran past its time.

    `signal` is the number of the signal that ended it, None when it exited by itself (`exit_code`).
    `stderr` holds the last lines that it printed. `timed_out`: it was killed after its timeout.
    """

    def __init__(
        self, function: str, exit_code: int | None, stderr: tuple[str, ...] = (), timed_out: bool = False
    ) -> None:
        self.function = function
        self.exit_code = exit_code
        self.signal = -exit_code if exit_code is not None and exit_code < 0 else None
        self.stderr = stderr
        self.timed_out = timed_out
        super().__init__(f"the worker process running {function} {self._cause()}", stderr)

    def _cause(self) -> str:
        if self.timed_out:
            return "ran past its time and was killed"
        if self.signal is None:
            return f"exited with status {self.exit_code}"
        hint = " (out of memory?)" if self.signal == Signals.SIGKILL else ""
        known = self.signal in set(Signals)
        return f"was killed by {Signals(self.signal).name if known else f'signal {self.signal}'}{hint}"


class PoolClosedError(CodegenError):
    """The worker pool was closed before the job was done."""

    def __init__(self) -> None:
        super().__init__("the worker pool was closed before the job was done")
