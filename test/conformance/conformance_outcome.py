"""The outcome of a case."""

from __future__ import annotations

from dataclasses import dataclass

# unsupported: the engine says that it does not cover the model. mismatch: other outputs than expected. error:
# any other exception. crash, timeout: the process died, or was killed.
FAILURES = ("unsupported", "mismatch", "error", "crash", "timeout")
STATUSES = ("pass", *FAILURES)


@dataclass(frozen=True)
class Outcome:
    """`status` is one of STATUSES, `reason` one line, empty for a pass."""

    name: str
    status: str
    reason: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the outputs were the expected ones."""
        return self.status == "pass"
