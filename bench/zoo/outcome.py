"""Outcomes of checks: what became of a model's calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.zoo.model import Sizes

# From the best to the worst: a result that is wrong is worse than none.
STATUSES = ("ok", "cannot be called", "does not compile", "wrong")
PROGRAMS = ("general", "fixed")


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of one call.

    Attributes:
        program: "general", whose open dims are open, or "fixed", compiled for the sizes of the call.
        sizes: The sizes of the call.
        status: One of `STATUSES`.
        error: The largest relative error of the outputs, if they could be compared.
        reason: What failed; empty for "ok".
    """

    program: str
    sizes: Sizes
    status: str
    error: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ModelOutcome:
    """The outcomes of the calls of one model, with the seconds and the peak memory, in MB (1e6 bytes), of
    compiling the general program, and the model's note."""

    name: str
    calls: tuple[CallOutcome, ...]
    compile_s: float | None = None
    peak_mb: float | None = None
    note: str = ""

    @property
    def status(self) -> str:
        """The worst status of the calls."""
        return max((call.status for call in self.calls), key=STATUSES.index, default="ok")


def list_failures(sizes: tuple[Sizes, ...], program: str, status: str, reason: str) -> list[dict[str, Any]]:
    """Returns the fields of `CallOutcome` of calls that all failed for one reason."""
    return [{"program": program, "sizes": dict(s), "status": status, "reason": reason} for s in sizes]
