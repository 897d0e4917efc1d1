"""One worker process: start, run a job, kill."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from mlc.codegen import messages
from mlc.codegen.errors import JobError, WorkerCrashError

_START_SECONDS = 300.0  # imports on a machine under load; a worker that takes longer counts as hung
_EXIT_SECONDS = 10.0
_STDERR_BYTES = 8192
_STDERR_LINES = 20


class WorkerProcess:
    """A started worker. All calls but `kill` come from one thread, which must live as long as the worker:
    Linux ends the worker with the thread that started it.
    """

    def __init__(self, preload: Sequence[str]) -> None:
        """Starts the process; raises OSError on failure. Returns before the worker is ready."""
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._ready = False
        # Own process group: a Ctrl-C in the terminal is the parent's to handle, and `kill` takes the
        # worker's own children too. -P and PYTHONPATH: the worker finds modules where its parent does.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mlc.codegen.worker", *preload],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            process_group=0,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(entry) for entry in sys.path)},
        )

    @property
    def pid(self) -> int:
        """The id of the process and of its process group."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def run(self, function: str, payload: dict[str, Any], timeout: float | None) -> Any:
        """Runs a job and returns its result. `timeout` in seconds counts from when the worker is ready.

        Raises JobError for an exception in the job, TypeError for a payload that cannot be sent,
        WorkerCrashError when the process died or ran out of time; after that the process is gone.
        """
        request = messages.encode({"function": function, "payload": payload})
        try:
            self._await_ready()
            self._forget_stderr()
            deadline = None if timeout is None else time.monotonic() + timeout
            self._write(request)
            reply = self._receive(deadline)
        except TimeoutError:
            raise self._crash(function, timed_out=True) from None
        except (EOFError, OSError):
            raise self._crash(function) from None
        if "error" in reply:
            raise JobError.from_reply(reply["error"])
        return reply["result"]

    def kill(self) -> None:
        """Ends the process and its children now; any thread may call this, also more than once."""
        if self._process.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kills the process, reaps it, frees the pipes."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None:
                stream.close()

    def _await_ready(self) -> None:
        if not self._ready:
            self._receive(time.monotonic() + _START_SECONDS)
            self._ready = True

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) :]

    def _receive(self, deadline: float | None) -> Any:
        return messages.decode(lambda size: self._read_exactly(size, deadline))

    def _read_exactly(self, size: int, deadline: float | None) -> bytes:
        """Reads `size` bytes of the worker's output; raises EOFError, or TimeoutError past `deadline`."""
        assert self._process.stdout is not None
        data = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while len(data) < size:
                left = None if deadline is None else max(deadline - time.monotonic(), 0)
                if not selector.select(left):
                    raise TimeoutError
                part = os.read(self._process.stdout.fileno(), min(size - len(data), 1 << 20))
                if not part:
                    raise EOFError
                data += part
        return bytes(data)

    def _crash(self, function: str, timed_out: bool = False) -> WorkerCrashError:
        """Returns the error for the death of the process, after waiting for it and cleaning up."""
        if timed_out:
            self.kill()
        try:
            code = self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:  # it closed its output and lives on
            self.kill()
            code = self._process.wait()
        error = WorkerCrashError(function, code, self._last_stderr_lines(), timed_out)
        self.close()
        return error

    def _forget_stderr(self) -> None:
        """Discards the output of earlier jobs. The shared position is reset, and the worker writes from 0."""
        self._stderr.seek(0)
        self._stderr.truncate()

    def _last_stderr_lines(self) -> tuple[str, ...]:
        descriptor = self._stderr.fileno()
        start = max(os.fstat(descriptor).st_size - _STDERR_BYTES, 0)
        text = os.pread(descriptor, _STDERR_BYTES, start).decode(errors="replace")
        return tuple(text.splitlines()[-_STDERR_LINES:])
