"""Cases over several workers."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from conformance_cases import Case
from conformance_engine import Setup
from conformance_outcome import Outcome
from conformance_worker import Worker

# Cases that one process runs before another takes its place, so that what engines leak stays small.
_CASES_PER_PROCESS = 300


@dataclass
class Pool:
    """`jobs` workers, each with a case at a time, which may take `limit` seconds."""

    setup: Setup
    jobs: int
    limit: float
    engine: str = ""
    _workers: list[Worker] = field(default_factory=list)

    def run(self, cases: Iterable[Case]) -> Iterator[Outcome]:
        """The outcomes as they come. Raises EngineFailure."""
        waiting = deque(cases)
        try:
            while waiting or any(worker.case for worker in self._workers):
                self._give(waiting)
                for worker in self._due():
                    outcome = self._outcome(worker, waiting)
                    if outcome is not None:
                        yield outcome
        finally:
            for worker in self._workers:
                worker.stop()
            self._workers.clear()

    def _give(self, waiting: deque[Case]) -> None:
        for worker in [w for w in self._workers if not w.case and w.answered >= _CASES_PER_PROCESS]:
            worker.stop()
            self._workers.remove(worker)
        while waiting:
            idle = next((worker for worker in self._workers if worker.case is None), None)
            if idle is None and len(self._workers) < self.jobs:
                idle = Worker(self.setup, self._workers)
                self.engine = idle.engine
                self._workers.append(idle)
            if idle is None:
                return
            idle.give(waiting.popleft(), self.limit)

    def _due(self) -> list[Worker]:
        """Waits for workers with an answer, or beyond their limit."""
        busy = [worker for worker in self._workers if worker.case]
        wait = max(0.0, min(worker.left for worker in busy))
        ready = select.select([worker.connection for worker in busy], [], [], wait)[0]
        return [worker for worker in busy if worker.connection in ready or worker.left <= 0]

    def _outcome(self, worker: Worker, waiting: deque[Case]) -> Outcome | None:
        """None for a crash of a process that had run other cases: a fresh one is asked again."""
        case = worker.case
        assert case is not None
        ready = select.select([worker.connection], [], [], 0)[0]
        outcome = worker.take() if ready else worker.expire()
        if outcome.status in ("crash", "timeout"):
            self._workers.remove(worker)
        if outcome.status == "crash" and worker.answered:
            waiting.appendleft(case)
            return None
        return outcome
