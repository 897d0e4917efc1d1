"""Measures latencies of several engines, interleaved."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

ROUNDS = 10


@dataclass(frozen=True)
class LatencyBudget:
    """The duration of the measurement of each engine: `warmup` calls, then `runs` calls, else `seconds`."""

    seconds: float = 3.0
    runs: int | None = None
    warmup: int = 3


def measure(engines: Mapping[str, Callable[[], object]], budget: LatencyBudget) -> dict[str, np.ndarray]:
    """Returns the seconds of each call, by engine.

    The engines are interleaved in `ROUNDS` short rounds, so that a change of the clock or of the machine's
    load affects all of them. A round of an engine begins with a call that does not count: the caches have the
    data of the last engine.
    """
    for call in engines.values():
        for _ in range(budget.warmup):
            call()
    times: dict[str, list[float]] = {name: [] for name in engines}
    for index in range(ROUNDS):
        for name, call in engines.items():
            call()
            times[name] += _measure_round(call, budget, index)
    return {name: np.array(values) for name, values in times.items()}


def _measure_round(call: Callable[[], object], budget: LatencyBudget, index: int) -> list[float]:
    """Returns the times of one engine's calls in one round."""
    calls = None
    if budget.runs is not None:
        calls = budget.runs * (index + 1) // ROUNDS - budget.runs * index // ROUNDS
        if not calls:
            return []
    end = time.perf_counter() + budget.seconds / ROUNDS
    times: list[float] = []
    while True:
        start = time.perf_counter()
        call()
        stop = time.perf_counter()
        times.append(stop - start)
        if len(times) >= calls if calls is not None else stop >= end:
            return times


def summary(seconds: np.ndarray) -> dict[str, float]:
    """Returns median, minimum and 90th percentile in milliseconds, and the number of calls."""
    milliseconds = seconds * 1e3
    return {
        "median_ms": float(np.median(milliseconds)),
        "min_ms": float(milliseconds.min()),
        "p90_ms": float(np.percentile(milliseconds, 90)),
        "calls": len(milliseconds),
    }
