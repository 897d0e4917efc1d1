"""Runs a tool's work in a child process, so that a crash or a hang in C++ ends in a message.

The child says what it is about to do in memory that both share; the parent waits. Nothing heavy is loaded
before the fork, so that the guard costs about a millisecond.
"""

from __future__ import annotations

import io
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, TextIO

_HEADER = struct.Struct("<?dI")  # has the child finished; when the step began, in seconds; bytes of its name
_MEMORY = 4096
# What interrupts the wait; the rest of Linux's signals keep their meaning.
_AWAITED = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE = 0.5  # seconds that the child has to end by itself after Ctrl-C
_DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


class Activity:
    """What the child does now, in memory shared with the parent."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _MEMORY)
        # In memory, so that nothing is left behind however the processes end.
        self._reproducer = os.fdopen(os.memfd_create("mlc"), "w+b", buffering=0)

    def begin(self, step: str) -> None:
        """The child begins `step`, such as "in.mlir:1:1: error: pass 'cse'"; starts its clock."""
        name = step.encode()[: _MEMORY - _HEADER.size]
        self._memory[: _HEADER.size + len(name)] = _HEADER.pack(False, time.monotonic(), len(name)) + name

    def finish(self) -> None:
        """The child is done, and will end with the status that it chose."""
        self._memory[: _HEADER.size] = _HEADER.pack(True, 0.0, 0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside the `with` block the child waits for others, say for a reader of its output; no clock."""
        finished, began, length = _HEADER.unpack_from(self._memory)
        _HEADER.pack_into(self._memory, 0, finished, 0.0, length)
        try:
            yield
        finally:
            _HEADER.pack_into(self._memory, 0, finished, time.monotonic() if began else 0.0, length)

    def leave(self, reproducer: bytes) -> None:
        """What the parent is to keep if the child dies; nothing is kept where there is no room for it."""
        self._reproducer.seek(0)
        self._reproducer.truncate()
        left = memoryview(reproducer)
        try:
            while left:
                left = left[self._reproducer.write(left) :]
        except OSError:
            self._reproducer.truncate(0)

    @property
    def finished(self) -> bool:
        """Whether `finish` was called."""
        return bool(_HEADER.unpack_from(self._memory)[0])

    @property
    def step(self) -> str:
        """The text of the last `begin`."""
        length = _HEADER.unpack_from(self._memory)[2]
        return self._memory[_HEADER.size : _HEADER.size + length].decode(errors="replace")

    @property
    def began(self) -> float:
        """When the last step began, on the monotonic clock; 0 if none did, or while the child waits."""
        return float(_HEADER.unpack_from(self._memory)[1])

    @property
    def reproducer(self) -> bytes:
        """What was left last."""
        self._reproducer.seek(0)
        return self._reproducer.read()


@dataclass(frozen=True)
class Death:
    """How a child ended that did not finish: `cause` ends a sentence about `step`."""

    step: str
    cause: str
    reproducer: bytes


# The child's own activity, for code that the activity is not handed to; None in other processes.
current: Activity | None = None


def waiting() -> AbstractContextManager[None]:
    """`Activity.waiting` of the child's own activity; nothing elsewhere."""
    return current.waiting() if current else nullcontext()


def run_guarded(work: Callable[[Activity], int], *, limit: float = 0.0) -> int | Death:
    """Runs `work` in a child process; its exit status, or its death.

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
    """Never returns. Leaves without Python's and C++'s clean-up, which could only crash or take time."""
    global current
    current, status = activity, 1
    try:
        _die_with(parent)
        sys.stdout, sys.stderr = (_without_clock(each, activity) for each in (sys.stdout, sys.stderr))
        status = work(activity)
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        activity.finish()
        os._exit(status)


class _WaitingFile(io.FileIO):
    """A file whose writes do not count as the child's work: its reader may take its time."""

    def __init__(self, stream: TextIO, activity: Activity) -> None:
        super().__init__(stream.fileno(), "wb", closefd=False)
        # The stream is kept, as it may own the file and close it when it goes.
        self._stream, self._activity = stream, activity

    def write(self, data: Any, /) -> int:
        with self._activity.waiting():
            return super().write(data)


def _without_clock(stream: TextIO, activity: Activity) -> TextIO:
    """`stream`, or one on the same file whose writes stop the clock."""
    try:
        raw = _WaitingFile(stream, activity)
    except (OSError, ValueError):  # no file: whoever put it there takes the text at once
        return stream
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True)


def _die_with(parent: int) -> None:
    """Has the kernel kill this process when the parent dies, however it does."""
    import ctypes

    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _wait(child: int, activity: Activity, limit: float) -> tuple[int, str]:
    """The wait status, and what ended a child that this killed."""
    while True:
        # Before the first step Python loads its modules, as fast as the machine can. No clock runs then.
        began = activity.began or time.monotonic()
        left = began + limit - time.monotonic()
        received = signal.sigtimedwait(_AWAITED, max(left, 0.0)) if limit else signal.sigwaitinfo(_AWAITED)
        # Stopped and continued as its time is up, CPython's sigtimedwait returns what no signal has written.
        number = received.si_signo if received is not None else signal.SIGCHLD
        if number in _AWAITED and number != signal.SIGCHLD:
            sent = signal.Signals(number)
            status = _pass_on(child, sent)
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


def _pass_on(child: int, received: signal.Signals) -> int:
    """Sends the child the signal that came here, and kills it if that does not end it; its wait status."""
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
    number = os.WTERMSIG(status)
    hint = "; was memory short?" if number == signal.SIGKILL else ""
    return f"crashed ({signal.Signals(number).name}{hint})"
