"""The time of a run, and the share of each case."""

from __future__ import annotations

import time
from collections.abc import Callable

# Of the whole time: the most that verification takes; and what is kept for the table, in seconds.
VERIFYING, KEPT = 0.4, 5.0
# A case is not begun with less.
LEAST = 2.0


class TimeBudget:
    """Seconds that are left of `seconds`. A share that is not used up goes to the cases that follow."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begin = clock()
        self.seconds = seconds

    def left(self, until: float = 1.0) -> float:
        """Seconds until the part `until` of the whole time is over, at least 0."""
        return max(0.0, (self.seconds - KEPT) * until - self.used())

    def used(self) -> float:
        """Seconds since the begin."""
        return self._clock() - self._begin

    def share(self, weight: float, weights: float, until: float = 1.0) -> float:
        """Seconds for a case of `weight`, when those that are not done yet have `weights` together: up to
        three times its part, as most cases need less, but half of the time is left to the others. 0 where it
        is too little to begin."""
        part = weight / weights
        share = self.left(until) * (min(0.5, 3.0 * part) if part < 1 else 1.0)
        return share if share >= LEAST else 0.0
