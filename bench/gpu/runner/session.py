"""The parent's side of the worker process: requests, answers, limits."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

# Bytes of a worker's log that are cited; and the seconds in which it has to end.
NOTE_BYTES, ENDING = 400, 10.0


class WorkerSession:
    """A worker that is started when it is needed, and again after its device broke: a kernel that failed
    makes the CUDA context unusable."""

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """The descriptor of a pipe for the answers is appended to `command`, which runs with the variables
        `environment` in addition; its output is appended to `log`."""
        self._command, self._log, self._environment = list(command), log, environment or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._answers, self._buffer = -1, b""

    @property
    def alive(self) -> bool:
        """Whether a worker runs. The next request includes the time to start a new one."""
        return self._process is not None and self._process.poll() is None

    def ask(self, request: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
        """Yields the answers to a request, up to the one with "end". If the worker ends, or is stopped as it
        is not done after `seconds`, the last answer has "error" and "end"."""
        deadline = time.monotonic() + seconds
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            yield self._end("the worker ended")
            return
        while True:
            line = self._line(deadline)
            if line is None:
                late = time.monotonic() >= deadline
                yield self._end(f"stopped after {seconds:.0f} s" if late else "the worker ended")
                return
            answer = json.loads(line)
            yield answer
            if "end" in answer:
                if answer.get("broken"):
                    self.close()
                return

    def close(self) -> None:
        """Ends the worker, and the compiler processes that it has started."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            # A driver may take long to end a kernel that hangs; the next worker does not wait for it.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ENDING)
            assert self._process.stdin is not None
            # A request that the worker did not read is still buffered.
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            os.close(self._answers)
        self._process, self._buffer = None, b""

    def _running(self) -> subprocess.Popen[bytes]:
        if not self.alive:
            self.close()
            self._answers, theirs = os.pipe()
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    [*self._command, str(theirs)],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    pass_fds=[theirs],
                    env={**os.environ, **self._environment},
                    # A separate process group.
                    start_new_session=True,
                )
            os.close(theirs)
        assert self._process is not None
        return self._process

    def _line(self, deadline: float) -> bytes | None:
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._answers, 1 << 16) if ready else b""
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _end(self, why: str) -> dict[str, Any]:
        self.close()
        lines = self._log.read_text(errors="replace").strip().splitlines()
        note = f": {lines[-1][-NOTE_BYTES:]}" if lines and "stopped" not in why else ""
        return {"error": why + note, "end": True}
