"""Checks models in worker processes, which may crash or hang."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.zoo.check_worker import COMPILING, CheckSettings, serve
from bench.zoo.model import Model
from bench.zoo.outcome import CallOutcome, ModelOutcome, list_failures
from mlc.tools.cases.pool import RequestPool
from mlc.tools.cases.worker import Answer, Job


def check(
    models: Sequence[Model],
    programs: Sequence[str],
    settings: CheckSettings,
    *,
    jobs: int,
    limit: float,
    log: Path,
) -> Iterator[ModelOutcome]:
    """Yields the outcome of each program of each model as they come; each may take `limit` seconds."""
    waiting = deque(
        json.dumps({"model": model.name, "program": program}) for model in models for program in programs
    )
    job = Job("zoo", lambda connection: serve(connection, settings), log)
    pool = RequestPool(job, jobs, limit, per_process=1)
    for answer in pool.run(waiting):
        yield _outcome(answer, settings)


def _outcome(answer: Answer, settings: CheckSettings) -> ModelOutcome:
    request = json.loads(answer.request)
    model, program = settings.models[request["model"]], request["program"]
    data = dict(answer.data)
    if answer.status != "answered":
        reason = f"{answer.status}: {answer.reason}"
        data = {"calls": list_failures(model.sizes, program, answer.at or COMPILING, reason)}
    calls = tuple(CallOutcome(**call) for call in data.pop("calls"))
    return ModelOutcome(model.name, calls, note=model.note, **data)
