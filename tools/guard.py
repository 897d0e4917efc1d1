"""Runs a tool's work in a child process, so that a crash or a hang in C++ ends in a message.

The child writes its current step to memory that both share; the parent waits. Nothing heavy is loaded before
the fork, so that the guard costs about a millisecond.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO

from mlc.tools import child_activity as activities
from mlc.tools.child_activity import Activity

# Signals that interrupt the wait; others keep their meaning.
_AWAITED = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE = 0.5  # seconds that the child has to end by itself after Ctrl-C
_DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


@dataclass(frozen=True)
class Death:
    """The end of a child that did not finish: `cause` ends a sentence about `step`."""

    step: str
    cause: str
    reproducer: bytes

    def message(self, tool: str) -> str:
        """Returns the error message of `tool`, whose child died."""
        return f"{self.step or f'{tool}: error: the program'} {self.cause}"


def replace_closed_streams() -> None:
    """Replaces standard streams that are closed, so that no file gets their descriptors.

    Using stdin and stdout stays an error; what goes to stderr is lost.
    """
    wrong_way = ("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")
    for descriptor, (name, flags, mode) in enumerate(wrong_way):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            os.dup2(opened, descriptor)
            if opened != descriptor:
                os.close(opened)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))


def run_guarded(work: Callable[[Activity], int], *, limit: float = 0.0) -> int | Death:
    """Runs `work` in a child process; returns its exit status, or its death.

    A step that takes more than `limit` seconds (0: no limit) is a hang and is killed. Ctrl-C and
    termination reach the child, and then this process. Raises `OSError` if no process can be made.
    """
    activity = Activity()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    # Blocked before the fork, so that no signal is lost between it and the wait.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    try:
        child = os.fork()
        if child == 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            _child(work, activity, parent)
        status, cause = _wait(child, activity, limit)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if activity.finished and os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    return Death(activity.step, cause or _cause(status), activity.reproducer)


def _child(work: Callable[[Activity], int], activity: Activity, parent: int) -> None:
    """Runs the child, which exits without Python's and C++'s clean-up, as that could crash or take time."""
    status = 1
    activities.current = activity
    try:
        _die_with(parent)
        sys.stdout, sys.stderr = (_without_clock(stream, activity) for stream in (sys.stdout, sys.stderr))
        status = work(activity)
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        activity.finish()
        os._exit(status)


class _WaitingFile(io.FileIO):
    """A file whose writes do not count as the child's work: its reader may be slow."""

    def __init__(self, stream: TextIO, activity: Activity) -> None:
        super().__init__(stream.fileno(), "wb", closefd=False)
        # The stream is kept, as it may own the file and close it when it goes.
        self._stream, self._activity = stream, activity

    def write(self, data: Any, /) -> int:
        """Writes with the clock stopped."""
        with self._activity.waiting():
            return super().write(data)


def _without_clock(stream: TextIO, activity: Activity) -> TextIO:
    """Returns a stream on the same file whose writes stop the clock; `stream` if it has no file."""
    try:
        raw = _WaitingFile(stream, activity)
    except (OSError, ValueError):  # no file, so that nothing blocks
        return stream
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True)


def _die_with(parent: int) -> None:
    """Has the kernel kill this process when the parent dies."""
    import ctypes

    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _wait(child: int, activity: Activity, limit: float) -> tuple[int, str]:
    """Returns the wait status of the child, and the reason if it was killed here."""
    while True:
        # Before the first step Python loads its modules. No clock runs then.
        began = activity.began or time.monotonic()
        left = began + limit - time.monotonic()
        received = signal.sigtimedwait(_AWAITED, max(left, 0.0)) if limit else signal.sigwaitinfo(_AWAITED)
        # Stopped and continued as its time is up, CPython's sigtimedwait returns what no signal has written.
        code = received.si_signo if received is not None else signal.SIGCHLD
        if code in _AWAITED and code != signal.SIGCHLD:
            sent = signal.Signals(code)
            status = _forward_signal(child, sent)
            if os.WIFSIGNALED(status):
                _die_of(sent)
            return status, ""
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, ""
        began = activity.began or time.monotonic()
        if limit and time.monotonic() >= began + limit and not activity.finished:
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1], f"did not end within {limit:g} s and was stopped"


def _forward_signal(child: int, received: signal.Signals) -> int:
    """Forwards a signal to the child, kills it if that does not end it, and returns its wait status."""
    with suppress(ProcessLookupError):
        os.kill(child, received)
    deadline = time.monotonic() + _GRACE
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)


def _die_of(received: signal.Signals) -> None:
    """Ends this process by a signal, as a shell expects of a program that was interrupted."""
    signal.signal(received, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [received])
    os.kill(os.getpid(), received)


def _cause(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"ended the process with status {os.WEXITSTATUS(status)}"
    received = signal.Signals(os.WTERMSIG(status))
    hint = "; was memory short?" if received == signal.SIGKILL else ""
    return f"crashed ({received.name}{hint})"
