"""Cases over several workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance_engine import Setup, serve
from conformance_outcome import Outcome

from mlc.tools.cases import pool
from mlc.tools.cases.suite import SuiteCase
from mlc.tools.cases.worker import Answer, Job


@dataclass
class Pool:
    """`jobs` workers, each with a case at a time, which may take `limit` seconds."""

    setup: Setup
    jobs: int
    limit: float
    engine: str = ""

    def run(self, cases: Iterable[SuiteCase]) -> Iterator[Outcome]:
        """The outcomes as they come. Raises WorkerError."""
        setup = self.setup
        job = Job(str(setup.engine), lambda connection: serve(connection, setup), setup.log)
        workers = pool.RequestPool(job, self.jobs, self.limit)
        for answer in workers.run(deque(case.name for case in cases)):
            self.engine = workers.ready
            yield _outcome(answer)


def _outcome(answer: Answer) -> Outcome:
    if answer.status == "answered":
        return Outcome(**answer.data)
    return Outcome(answer.request, answer.status, answer.reason, answer.seconds)
