"""Times interleaved calls by events on one stream."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from mlc.runtime.cuda import Device, DeviceMemory, Event, Stream, elapsed_milliseconds

Call = Callable[[], object]
ROUNDS, MOST_ROUNDS = 5, 15
# The intended milliseconds of a batch of calls on the device, and the bounds of its size.
BATCH_MS, FEWEST, MOST = 60.0, 3, 50
# The bytes that are written to flush the cache, in sizes of the cache.
FLUSHES = 2


@dataclass(frozen=True)
class Times:
    """Milliseconds per call: the median over rounds of the median of a batch of calls, the fastest and the
    slowest round."""

    ms: float
    low: float
    high: float
    rounds: int
    calls: int

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields, for JSON."""
        return asdict(self)


class Clock:
    """Measures on `stream`. `hold` makes the device wait for about the given milliseconds, so that the host
    has enqueued a batch of calls before the first one begins; None if that is not possible."""

    def __init__(self, device: Device, stream: Stream, hold: Callable[[float], object] | None = None) -> None:
        self._device, self._stream, self._hold = device, stream, hold
        self._flushed: DeviceMemory | None = None

    def measure(self, calls: Mapping[str, Call], cold: bool, seconds: float) -> dict[str, Times]:
        """Measures all `calls`, interleaved in at least ROUNDS rounds, and further rounds within `seconds`.
        `cold`: the cache is flushed before each call."""
        counts = {name: self._count(call, cold) for name, call in calls.items()}
        rounds: dict[str, list[float]] = {name: [] for name in calls}
        start, done = time.monotonic(), 0
        while done < ROUNDS or (
            done < MOST_ROUNDS and time.monotonic() - start < seconds * done / (done + 1)
        ):
            for name, call in calls.items():
                rounds[name].append(median(self._time_batch(call, counts[name], cold)))
            done += 1
        return {
            name: Times(median(times), min(times), max(times), done, counts[name])
            for name, times in rounds.items()
        }

    def close(self) -> None:
        """Frees the memory that flushes the cache."""
        if self._flushed is not None:
            self._flushed.close()

    def _count(self, call: Call, cold: bool) -> int:
        """Warms up, and returns the number of calls per batch."""
        self._time_batch(call, FEWEST, cold)
        estimate = median(self._time_batch(call, FEWEST, cold))
        return max(FEWEST, min(MOST, int(BATCH_MS / max(estimate, 1e-3))))

    def _time_batch(self, call: Call, count: int, cold: bool) -> list[float]:
        pairs = [(Event(self._device, timing=True), Event(self._device, timing=True)) for _ in range(count)]
        if self._hold is not None:
            self._hold(0.2 * count)
        for start, end in pairs:
            if cold:
                self._flush()
            self._stream.record(start)
            call()
            self._stream.record(end)
        self._stream.synchronize()
        found = [elapsed_milliseconds(start, end) for start, end in pairs]
        for event in (event for pair in pairs for event in pair):
            event.close()
        return found

    def _flush(self) -> None:
        if self._flushed is None:
            self._flushed = DeviceMemory(self._device, FLUSHES * self._device.properties.l2_bytes)
        self._flushed.fill(0, stream=self._stream)
