"""Attempts to compile a kernel: after a failure, with a plainer default schedule (`plainer_schedules`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.codegen.errors import JobError, PoolClosedError
from mlc.compiler.errors import CompileError


@dataclass(frozen=True)
class PlainerSchedule:
    """The schedule that a kernel got after others had failed: their names, and the reasons."""

    schedule: str
    rejected: tuple[str, ...]
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, result: Mapping[str, Any], failures: Sequence[CompileError]) -> PlainerSchedule | None:
        """Returns that of a job's result after `failures`; None if there were none."""
        if not failures:
            return None
        # A crash is described by lines of LLVM's output; the first line is the cause.
        reasons = tuple(error.message.partition("\n")[0] for error in failures)
        return cls(result["schedule"], tuple(result["rejected"]), reasons)


def may_be_plainer(error: CompileError) -> bool:
    """Whether a job that failed is worth another attempt: not if it was the last one, or the pool is
    closed."""
    cause = error.__cause__
    if isinstance(cause, JobError):
        return not cause.fields.get("is_plainest", False)
    return not isinstance(cause, PoolClosedError)
