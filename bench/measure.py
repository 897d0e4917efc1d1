"""Measurements that a process makes of itself. They need NumPy only, so that any interpreter can run them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class RoundBudget:
    """Length of a round: warm-up, then at least `seconds` and `calls`, but not over `limit` seconds."""

    warm_up: float = 0.3
    seconds: float = 1.0
    calls: int = 5
    limit: float = 15.0

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self)


def time_calls(call: Callable[[], object], budget: RoundBudget) -> dict[str, float]:
    """Latencies of one round in milliseconds, and what else the machine did meanwhile (in cores)."""
    _repeat(call, budget.warm_up, calls=1, limit=budget.limit)
    before, start = _cpu_seconds(), time.perf_counter()
    latencies = np.array(_repeat(call, budget.seconds, budget.calls, budget.limit)) * 1e3
    wall, after = time.perf_counter() - start, _cpu_seconds()
    own, machine = after[0] - before[0], after[1] - before[1]
    return {
        "median_ms": float(np.median(latencies)),
        "min_ms": float(latencies.min()),
        "p10_ms": float(np.percentile(latencies, 10)),
        "p90_ms": float(np.percentile(latencies, 90)),
        "calls": len(latencies),
        "own_cores": round(own / wall, 2),
        "other_cores": round(max(0.0, machine - own) / wall, 2),
    }


def _repeat(call: Callable[[], object], seconds: float, calls: int, limit: float) -> list[float]:
    latencies: list[float] = []
    start = time.perf_counter()
    while True:
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
        latencies.append(end - begin)
        elapsed = end - start
        if elapsed >= limit or (elapsed >= seconds and len(latencies) >= calls):
            return latencies


def _cpu_seconds() -> tuple[float, float]:
    """CPU time of this process, and of the whole machine with what a hypervisor took."""
    user, nice, system, _, _, interrupt, soft, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    ticks = user + nice + system + interrupt + soft + steal
    return time.process_time(), ticks / os.sysconf("SC_CLK_TCK")


def peak_memory_mb() -> float:
    """The most memory that this process has had resident so far, in MB (1e6 bytes)."""
    # Not getrusage's ru_maxrss: that starts from the parent's peak.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:"))
