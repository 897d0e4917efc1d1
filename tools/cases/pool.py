"""Distributes requests over several workers."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from mlc.tools.cases.worker import Answer, CaseWorker, Job

# So that what engines leak stays small.
_REQUESTS_PER_PROCESS = 300


@dataclass
class RequestPool:
    """`jobs` workers, each with one request at a time, which may take `limit` seconds. A process answers
    `per_process` requests before another replaces it. `ready` is the name that the workers reported when they
    started."""

    job: Job
    jobs: int
    limit: float
    per_process: int = _REQUESTS_PER_PROCESS
    ready: str = ""
    _workers: list[CaseWorker] = field(default_factory=list)

    def run(self, waiting: deque[str]) -> Iterator[Answer]:
        """Yields the answers to the requests in `waiting` as they come. Requests are taken from its left; the
        caller may add to it. Raises WorkerError."""
        try:
            while waiting or any(worker.request is not None for worker in self._workers):
                self._give(waiting)
                for worker in self._due():
                    answer = self._answer(worker, waiting)
                    if answer is not None:
                        yield answer
        finally:
            for worker in self._workers:
                worker.stop()
            self._workers.clear()

    def _give(self, waiting: deque[str]) -> None:
        for worker in [w for w in self._workers if w.request is None and w.answered >= self.per_process]:
            worker.stop()
            self._workers.remove(worker)
        while waiting:
            idle = next((worker for worker in self._workers if worker.request is None), None)
            if idle is None and len(self._workers) < self.jobs:
                idle = CaseWorker(self.job, self._workers)
                self.ready = idle.ready
                self._workers.append(idle)
            if idle is None:
                return
            idle.give(waiting.popleft(), self.limit)

    def _due(self) -> list[CaseWorker]:
        """Waits for workers with an answer, or beyond their limit."""
        busy = [worker for worker in self._workers if worker.request is not None]
        wait = max(0.0, min(worker.left for worker in busy))
        if not any(worker.readable for worker in busy):
            select.select([worker.connection for worker in busy], [], [], wait)
        return [worker for worker in busy if worker.readable or worker.left <= 0]

    def _answer(self, worker: CaseWorker, waiting: deque[str]) -> Answer | None:
        """Returns a worker's answer, or None after a crash of a process that had answered other requests: a
        new process gets the request again."""
        answer = worker.take() if worker.readable else worker.expire()
        if answer is None:
            return None
        if answer.status in ("crash", "timeout"):
            self._workers.remove(worker)
        if answer.status == "crash" and worker.answered:
            waiting.appendleft(answer.request)
            return None
        return answer
