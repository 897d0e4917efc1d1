"""Plainer default schedules for kernels that the first choice does not compile.

`tloop-default-schedules` has an ordered list of schedules for a kernel, of which it takes the first that
fits; the last one is plain loops. If the pipeline fails on a kernel, or LLVM does, its job runs again with
one schedule more excluded. Kernels with schedules of users keep theirs: the failure is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from mlc.passes.base import PassError
from mlc.passes.remarks import Remark, collect_remarks
from mlc.passes.schedule.common.candidates import LOOPS, RULE
from mlc.passes.schedule.cpu.default_schedules import DefaultSchedules
from mlc.pipelines.named import lookup_pipeline


class NoPlainerScheduleError(Exception):
    """All schedules of a kernel are excluded, or it fails before it gets one."""

    def __init__(self) -> None:
        super().__init__("there is no plainer schedule")
        self.is_plainest = True


def _elements(pipeline: str) -> list[str]:
    """Returns the passes of a named pipeline that schedules kernels. Raises NoPlainerScheduleError for
    others."""
    elements = lookup_pipeline(pipeline) or []
    if DefaultSchedules.name not in elements:
        raise NoPlainerScheduleError
    return elements


def without_schedules(pipeline: str, names: Sequence[str]) -> str:
    """Returns the pipeline in which kernels do not get the default schedules called `names`."""
    if not names:
        return pipeline
    chosen = str(DefaultSchedules(without=tuple(names)))
    return ",".join(
        chosen if element == DefaultSchedules.name else element for element in _elements(pipeline)
    )


def rejected_schedules(pipeline: str, count: int, run: Callable[[str], object]) -> list[str]:
    """Returns the names of the first `count` default schedules of a kernel; `run` runs a pipeline on a new
    copy of it. Raises NoPlainerScheduleError if there is none after these."""
    names: list[str] = []
    for _ in range(count):
        elements = _elements(pipeline)
        until = ",".join(elements[: elements.index(DefaultSchedules.name) + 1])
        text = until.replace(DefaultSchedules.name, str(DefaultSchedules(without=tuple(names))))
        name = _chosen_by(text, run)
        if name is None or name == LOOPS:
            raise NoPlainerScheduleError
        names.append(name)
    return names


def _chosen_by(pipeline: str, run: Callable[[str], object]) -> str | None:
    """Returns the name of the schedule that a kernel gets, or that fails to be built; None if another pass
    fails."""
    with collect_remarks() as remarks, suppress(PassError):
        run(pipeline)
    return schedule_in(remarks)


def schedule_in(remarks: Sequence[Remark]) -> str | None:
    """Returns the name of the last schedule among the remarks."""
    return next((remark.message for remark in reversed(remarks) if remark.rule == RULE), None)
