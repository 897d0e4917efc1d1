"""tloop-sample-schedules: makes the decisions of stochastic primitives."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.base import Pass, option
from mlc.passes.schedule.api.apply_schedules import apply_schedule, find_kernel, schedules_of


def sample_schedule(kernel: ir.Operation, schedule: ir.Operation, random: Random) -> None:
    """Records decisions in the schedule, which is applied to a copy of the kernel, because the choices depend
    on the steps before. Raises PassError if a step does not apply."""
    with ir.InsertionPoint(kernel), kernel.location:
        copy = kernel.clone().operation
    try:
        apply_schedule(copy, schedule, random)
    finally:
        copy.erase()


@dataclass(frozen=True)
class SampleSchedules(Pass):
    """Give every stochastic primitive (`tloop.sample_perfect_tile`, `tloop.sample_categorical`) without a
    decision one, as an attribute.

    Equal seeds and kernels' names give equal decisions.
    """

    name: ClassVar[str] = "tloop-sample-schedules"

    seed: int = option(0, help="of the random numbers")

    def run(self, op: ir.Operation) -> None:
        for schedule in schedules_of(op):
            random = Random(f"{self.seed} {tloop.Schedule(schedule).kernel}")
            sample_schedule(find_kernel(op, schedule), schedule, random)
