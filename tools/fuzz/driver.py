"""The fuzzer's main loop: distributes cases over workers and collects their verdicts."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlc.tools.cases.pool import RequestPool
from mlc.tools.cases.worker import Answer, Job
from mlc.tools.fuzz.oracles import ORACLES
from mlc.tools.fuzz.verdicts import Verdict
from mlc.tools.fuzz.worker_side import WorkerSettings, serve

_LOST = {"crash": "crash", "timeout": "hang"}


@dataclass(frozen=True)
class CaseResult:
    """The verdict on a case, which is named by its index or its folder."""

    name: str
    verdict: Verdict
    operators: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass
class Fuzzer:
    """Runs cases in `jobs` workers; a case may take `limit` seconds."""

    settings: WorkerSettings
    jobs: int = 1
    limit: float = 30.0
    log: Path | None = None

    def run_drawn(self, indices: Iterable[int]) -> Iterator[CaseResult]:
        """Yields the results of the drawn cases with these indices, as they come."""
        return self.run(deque(json.dumps({"index": index}) for index in indices), self.jobs)

    def run_saved(self, folders: Iterable[Path]) -> Iterator[CaseResult]:
        """Yields the results of saved cases, as they come."""
        return self.run(deque(json.dumps({"saved": str(folder)}) for folder in folders), self.jobs)

    def run(self, waiting: deque[str], jobs: int) -> Generator[CaseResult, None, None]:
        """Yields the results of requests, to which the caller may add."""
        job = Job("mlc fuzz", lambda connection: serve(connection, self.settings), self.log)
        for answer in RequestPool(job, jobs, self.limit).run(waiting):
            again = _again(answer)
            if again is not None:
                waiting.appendleft(json.dumps(again))
            else:
                yield _result(answer)


def _again(answer: Answer) -> dict[str, Any] | None:
    """Returns the request to repeat after a lost process: without the oracle that it died in, or once more
    after a hang, as the whole machine may have been stopped; None if there is nothing to repeat."""
    request: dict[str, Any] = json.loads(answer.request)
    if answer.status == "answered":
        return None
    if answer.at in ORACLES:
        return {**request, "without": [*request.get("without", ()), answer.at]}
    if answer.status == "timeout" and not request.get("repeated"):
        return {**request, "repeated": True}
    return None


def _result(answer: Answer) -> CaseResult:
    request = json.loads(answer.request)
    name = str(request.get("index", request.get("saved")))
    if answer.status == "answered":
        verdict, operators = Verdict(**answer.data["verdict"]), tuple(answer.data["operators"])
        return CaseResult(name, verdict, operators, answer.seconds)
    outcome = _LOST[answer.status] if answer.at == "mlc" else "undecided"
    return CaseResult(name, Verdict(outcome, f"{answer.reason} in {answer.at}"), (), answer.seconds)
