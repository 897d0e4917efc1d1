"""A worker as its parent sees it: a forked process that may crash or hang, and nothing else with it."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from socket import socket, socketpair
from typing import Any, NoReturn

from conformance_cases import Case
from conformance_engine import Setup, serve
from conformance_outcome import Outcome

_START_LIMIT = 180.0  # seconds for loading an engine
_END_LIMIT = 5.0  # seconds from a closed connection to the end of the process


class EngineFailure(Exception):
    """An engine that cannot be loaded."""


class Worker:
    """Forked from this process, which has the cases in memory and no threads. `answered` counts cases."""

    def __init__(self, setup: Setup, others: Sequence[Worker]) -> None:
        """Raises EngineFailure."""
        self.connection, theirs = socketpair()
        self.answered = 0
        self.case: Case | None = None
        self._began = 0.0
        self._limit = 0.0
        self.process = os.fork()
        if self.process == 0:
            # An end that a sibling holds would keep this process waiting after its parent's death.
            self.connection.close()
            for other in others:
                other.close()
            _child(theirs, setup)
        theirs.close()
        self._stream = self.connection.makefile("r", encoding="utf-8")
        self.engine = self._greeting(setup)

    def _greeting(self, setup: Setup) -> str:
        ready = select.select([self.connection], [], [], _START_LIMIT)[0]
        answer = self._answer() if ready else {"problem": f"no answer after {_START_LIMIT:.0f} s"}
        if answer is None or "problem" in answer:
            how = self.stop(_END_LIMIT)
            raise EngineFailure(f"{setup.engine}: {(answer or {}).get('problem', how)}")
        return str(answer["engine"])

    def give(self, case: Case, limit: float) -> None:
        """Starts a case, which may take `limit` seconds."""
        self.case, self._began, self._limit = case, time.monotonic(), limit
        with suppress(OSError):  # if it has died: `take` sees that
            self.connection.sendall(f"{case.name}\n".encode())

    @property
    def left(self) -> float:
        """Seconds until the running case is overdue."""
        return self._began + self._limit - time.monotonic()

    def take(self) -> Outcome:
        """The outcome of the running case, for which the connection is readable."""
        answer = self._answer()
        if answer is None:
            return self._ended("crash", self.stop(_END_LIMIT))
        case, self.case = self.case, None
        self.answered += 1
        assert case is not None and answer["name"] == case.name
        return Outcome(**answer)

    def expire(self) -> Outcome:
        """Kills the process; its case has timed out."""
        limit = self._limit
        self.stop()
        return self._ended("timeout", f"over {limit:g} s")

    def _ended(self, status: str, reason: str) -> Outcome:
        assert self.case is not None
        return Outcome(self.case.name, status, reason, round(time.monotonic() - self._began, 2))

    def _answer(self) -> dict[str, Any] | None:
        """One line; None if the process has closed the connection."""
        try:
            line = self._stream.readline()
        except OSError:
            line = ""
        return json.loads(line) if line.endswith("\n") else None

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
        return _described(os.waitpid(self.process, 0)[1])


def _described(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def _child(connection: socket, setup: Setup) -> NoReturn:
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        output = os.open(setup.log or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        serve(connection, setup)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
