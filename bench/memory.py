"""Peak memory of a process and its children, sampled from outside."""

from __future__ import annotations

import threading
from pathlib import Path

PERIOD_S = 0.05


class PeakSampler:
    """While entered, samples the memory of all processes of a session; `peak_mb` (1e6 bytes) is the most.

    Shared pages count by their share (PSS), so that forked children do not count twice. Peaks shorter than
    50 ms can be missed.
    """

    def __init__(self, leader: int) -> None:
        self.peak_mb = 0.0
        self._leader = leader
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> PeakSampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        while True:
            self.peak_mb = max(self.peak_mb, session_memory_mb(self._leader))
            if self._stop.wait(PERIOD_S):
                return


def session_memory_mb(leader: int) -> float:
    """Proportional set size of all processes whose session is `leader`, in MB."""
    members = (process for process in Path("/proc").iterdir() if process.name.isdigit())
    return sum(_proportional_bytes(process) for process in members if _session(process) == leader) / 1e6


def _session(process: Path) -> int | None:
    try:
        # The command, in brackets, may hold anything; after it: state, parent, group, session.
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])
    except (OSError, IndexError):
        return None


def _proportional_bytes(process: Path) -> int:
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
