"""The time of a run, and the share of each case."""

from __future__ import annotations

import time
from collections.abc import Callable

# The largest share of the time for verification; and the seconds that are kept for the table.
VERIFYING, KEPT = 0.4, 5.0
# A case is not begun with fewer seconds.
LEAST = 2.0


class TimeBudget:
    """The remaining time of `seconds`. An unused part of a share goes to the cases that follow."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begin = clock()
        self.seconds = seconds

    def remaining(self, until: float = 1.0) -> float:
        """Returns the seconds until the part `until` of the whole time is over, at least 0."""
        return max(0.0, (self.seconds - KEPT) * until - self.elapsed_seconds())

    def elapsed_seconds(self) -> float:
        """Returns the seconds since the begin."""
        return self._clock() - self._begin

    def share(self, weight: float, weights: float, until: float = 1.0) -> float:
        """Returns the seconds for a case of `weight`, if the cases that are not done yet have the sum
        `weights`: up to three times its part, as most cases need less, but half of the time is left to the
        others. 0 if
        it is too little to begin."""
        part = weight / weights
        share = self.remaining(until) * (min(0.5, 3.0 * part) if part < 1 else 1.0)
        return share if share >= LEAST else 0.0
