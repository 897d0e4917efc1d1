"""Samples the GPU's clock rates while cases run, by nvidia-smi."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from statistics import median
from threading import Thread
from typing import Any

# Name in the results -> field of nvidia-smi: MHz, watts, degrees Celsius.
FIELDS = {
    "sm_mhz": "clocks.sm",
    "memory_mhz": "clocks.mem",
    "watts": "power.draw",
    "celsius": "temperature.gpu",
}
PERIOD_MS, ENDING = 500, 5.0
COMMAND = (
    "nvidia-smi",
    "--id=0",
    f"--query-gpu={','.join(FIELDS.values())}",
    "--format=csv,noheader,nounits",
    f"--loop-ms={PERIOD_MS}",
)


class Clocks:
    """Samples of a separate process. Without nvidia-smi there are none, and nothing fails."""

    def __init__(self, command: Sequence[str] = COMMAND, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: list[tuple[float, dict[str, float]]] = []
        self._process: subprocess.Popen[str] | None = None
        if shutil.which(command[0]) is None:
            return
        with suppress(OSError):
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            Thread(target=self._read, daemon=True).start()

    def since(self, begin: float) -> dict[str, dict[str, float]]:
        """Returns the least, the median and the largest of each field in samples after `begin`; {} if there
        are none."""
        samples = [fields for moment, fields in list(self._samples) if moment >= begin]
        found = {}
        for name in FIELDS:
            values = [fields[name] for fields in samples if name in fields]
            if values:
                found[name] = {"low": min(values), "median": median(values), "high": max(values)}
        return found

    def now(self) -> float:
        """Returns a begin for `since`."""
        return self._clock()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ENDING)

    def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            self._samples.append((self._clock(), _fields(line)))


def _fields(line: str) -> dict[str, Any]:
    """Returns the values of a line. Fields that a device lacks have no value."""
    found = {}
    for name, text in zip(FIELDS, line.split(","), strict=False):
        with suppress(ValueError):
            found[name] = float(text)
    return found
