"""A worker process of `mlc.codegen.pool`: `python -m mlc.codegen.worker MODULE...` preloads and serves jobs.

Jobs and results are frames (`mlc.codegen.messages`) on standard input and output. The process ends when its
input does, and at once when its parent dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import signal
import sys
import traceback
from typing import Any, BinaryIO

from mlc.codegen import messages

_PR_SET_PDEATHSIG = 1


def main(preload: list[str]) -> None:
    """Serve jobs until the input ends."""
    _die_with_parent()
    jobs, results = _take_standard_streams()
    for module in preload:
        # A module that cannot be imported fails the jobs that need it, with its own message.
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    _send(results, {"ready": True})
    while True:
        try:
            job = messages.decode(lambda size: _read_exactly(jobs, size))
        except EOFError:
            return
        _send(results, run_job(job["function"], job["payload"]))


def _die_with_parent() -> None:
    """On Linux, ask for SIGKILL when the thread that started us ends; elsewhere the input's end must do."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes of the jobs and results, out of reach of the jobs: what they print goes to standard error."""
    jobs = os.fdopen(os.dup(0), "rb")
    results = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return jobs, results


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _send(results: BinaryIO, message: dict[str, Any]) -> None:
    try:
        frame = messages.encode(message)
    except (TypeError, ValueError) as error:
        frame = messages.encode({"error": _describe(error)})
    results.write(frame)
    results.flush()


def run_job(function: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The result or the error of a job, ready to send."""
    try:
        module, _, name = function.partition(":")
        return {"result": getattr(importlib.import_module(module), name)(payload)}
    except (Exception, SystemExit) as error:
        return {"error": _describe(error)}
    finally:
        sys.stdout.flush()


def _describe(error: BaseException) -> dict[str, Any]:
    """Type, message, notes, traceback and fields of `error`; fields that cannot be sent go as text."""
    fields = {name: _sendable(value) for name, value in vars(error).items() if not name.startswith("_")}
    notes = [*getattr(error, "notes", ()), *getattr(error, "__notes__", ())]
    # The `message` of MLIR's own errors lacks their diagnostics.
    message = error if hasattr(error, "error_diagnostics") else getattr(error, "message", error)
    return {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        "message": str(message),
        "notes": [str(note) for note in notes],
        "fields": fields,
        "traceback": "".join(traceback.format_exception(error)),
    }


def _sendable(value: Any) -> Any:
    try:
        messages.encode(value)
    except (TypeError, ValueError):
        return str(value)
    return value


if __name__ == "__main__":
    main(sys.argv[1:])
