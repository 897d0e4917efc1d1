"""Runs jobs in a worker process itself, instead of in further workers."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from mlc.codegen.errors import JobError
from mlc.codegen.worker import run_job


class InlineJobs:
    """Runs jobs at once, in this process and thread. Crashes end this process; timeouts are ignored."""

    def start(self) -> None:
        """Does nothing: there are no workers."""

    def submit(self, function: str, payload: dict[str, Any], timeout: float | None = None) -> Future[Any]:
        """Runs the job; returns a completed future with the result or JobError."""
        reply = run_job(function, payload)
        future: Future[Any] = Future()
        if "error" in reply:
            future.set_exception(JobError.from_reply(reply["error"]))
        else:
            future.set_result(reply["result"])
        return future
