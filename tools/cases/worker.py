"""A worker is a forked process that may crash or hang without harm to its parent.

The process gets requests as lines and sends JSON objects, one a line: first `{"ready": NAME}`, or
`{"problem": WHY}`; then for each request any number of `{"at": STEP}` and one answer.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket, socketpair
from typing import Any, NoReturn

_START_LIMIT = 180.0  # seconds for getting ready
_END_LIMIT = 5.0  # seconds from a closed connection to the end of the process


class WorkerError(Exception):
    """Raised for a process that did not get ready."""


@dataclass(frozen=True)
class Job:
    """The work of every worker: `serve` answers the requests of a connection; `log` receives its output."""

    name: str
    serve: Callable[[socket], None]
    log: Path | None = None


@dataclass(frozen=True)
class Answer:
    """The outcome of a request: `status` is "answered", with `data`, or "crash" or "timeout", with a reason
    and the last step that the process reported."""

    request: str
    status: str
    reason: str = ""
    seconds: float = 0.0
    at: str = ""
    data: dict[str, Any] = field(default_factory=dict)


def say(connection: socket, answer: dict[str, Any]) -> None:
    """Sends one line from a worker's process to its parent."""
    connection.sendall(json.dumps(answer).encode() + b"\n")


class CaseWorker:
    """A process forked from this one, which has the cases in memory and no threads. `answered` counts
    requests."""

    def __init__(self, job: Job, others: Sequence[CaseWorker]) -> None:
        """Raises WorkerError."""
        self.connection, theirs = socketpair()
        self.answered = 0
        self.request: str | None = None
        self._at = ""
        self._began = 0.0
        self._limit = 0.0
        self.process = os.fork()
        if self.process == 0:
            # An end that a sibling holds would keep this process waiting after its parent's death.
            self.connection.close()
            for other in others:
                other.close()
            _child(theirs, job)
        theirs.close()
        self._stream = self.connection.makefile("rb", buffering=0)
        self._pending = b""
        self.ready = self._greeting(job)

    def _greeting(self, job: Job) -> str:
        ready = select.select([self.connection], [], [], _START_LIMIT)[0]
        answer = self._line() if ready else {"problem": f"no answer after {_START_LIMIT:.0f} s"}
        if answer is None or "problem" in answer:
            how = self.stop(_END_LIMIT)
            raise WorkerError(f"{job.name}: {(answer or {}).get('problem', how)}")
        return str(answer["ready"])

    def give(self, request: str, limit: float) -> None:
        """Starts a request, one line, which may take `limit` seconds."""
        self.request, self._at, self._began, self._limit = request, "", time.monotonic(), limit
        with suppress(OSError):  # if it has died: `take` sees that
            self.connection.sendall(f"{request}\n".encode())

    @property
    def left(self) -> float:
        """Seconds until the running request is overdue."""
        return self._began + self._limit - time.monotonic()

    def take(self) -> Answer | None:
        """Returns the answer to the running request, for which the connection is readable; None if the
        process has only reported a step."""
        line = self._line()
        if line is None:
            return self._end_request("crash", self.stop(_END_LIMIT))
        if "at" in line:
            self._at = str(line["at"])
            return None
        self.answered += 1
        return self._end_request("answered", "", line)

    def expire(self) -> Answer:
        """Kills the process; its request has timed out."""
        limit = self._limit
        self.stop()
        return self._end_request("timeout", f"over {limit:g} s")

    def _end_request(self, status: str, reason: str, data: dict[str, Any] | None = None) -> Answer:
        request, self.request = self.request, None
        assert request is not None
        seconds = round(time.monotonic() - self._began, 2)
        return Answer(request, status, reason, seconds, self._at, data or {})

    def _line(self) -> dict[str, Any] | None:
        """Reads the next line; None if the process has closed the connection."""
        while b"\n" not in self._pending:
            try:
                more = self._stream.read(1 << 16)
            except OSError:
                more = b""
            if not more:
                return None
            self._pending += more
        line, _, self._pending = self._pending.partition(b"\n")
        return json.loads(line)

    @property
    def readable(self) -> bool:
        """Whether a line can be taken without waiting for the process to begin it."""
        return b"\n" in self._pending or bool(select.select([self.connection], [], [], 0)[0])

    def close(self) -> None:
        """Closes the connection: an idle process ends."""
        self._stream.close()
        self.connection.close()

    def stop(self, patience: float = 0.0) -> str:
        """Ends the process, and those that it started; returns how it ended, by itself if it did so within
        `patience` seconds."""
        self.close()
        handle = os.pidfd_open(self.process)
        try:
            select.select([handle], [], [], patience)
        finally:
            os.close(handle)
        # Its group is there until it has been waited for, unless it had no time to make one.
        os.kill(self.process, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        return _describe_status(os.waitpid(self.process, 0)[1])


def _describe_status(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def _child(connection: socket, job: Job) -> NoReturn:
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        output = os.open(job.log or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        job.serve(connection)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
