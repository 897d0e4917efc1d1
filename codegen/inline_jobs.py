"""Jobs that a worker process runs itself, instead of in workers of its own."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from mlc.codegen.errors import JobError
from mlc.codegen.worker import run_job


class OwnJobs:
    """Runs each job at once, in this process and thread. What would end a worker ends this process; jobs have
    all the time they take."""

    def start(self) -> None:
        """Nothing is to be started."""

    def submit(self, function: str, payload: dict[str, Any], timeout: float | None = None) -> Future[Any]:
        """The result, or JobError, in a future that is done."""
        reply = run_job(function, payload)
        future: Future[Any] = Future()
        if "error" in reply:
            future.set_exception(JobError.from_reply(reply["error"]))
        else:
            future.set_result(reply["result"])
        return future
