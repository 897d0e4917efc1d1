"""tloop-apply-schedules: runs every `tloop.schedule` on its kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassFailure
from mlc.passes.rewriting import collect_ops
from mlc.passes.tloop.loop_steps.loops import PARALLEL, SEQUENTIAL
from mlc.passes.tloop.schedule_state import LOOP_TAG, ScheduleState, StepError
from mlc.passes.tloop.steps import STEPS


def find_kernel(module: ir.Operation, schedule: ir.Operation) -> ir.Operation:
    """The `func.func` that the schedule names; PassFailure if there is none."""
    name = schedule.attributes["kernel"].value
    for op in module.regions[0].blocks[0]:
        if op.operation.name == "func.func" and op.operation.attributes["sym_name"].value == name:
            return op.operation
    raise PassFailure(f"the schedule's kernel @{name} does not exist", schedule.location)


def apply_schedule(module: ir.Operation, schedule: ir.Operation) -> None:
    """Applies the primitives of `schedule` in order. Raises PassFailure naming the kernel and the
    primitive."""
    state = ScheduleState(find_kernel(module, schedule))
    for number, op in enumerate(schedule.regions[0].blocks[0], 1):
        primitive = op.operation
        try:
            STEPS[primitive.name](primitive, state)
        except StepError as error:
            kernel = schedule.attributes["kernel"].value
            raise PassFailure(
                f"schedule of @{kernel}: step {number} ('{primitive.name}') does not apply: {error}",
                primitive.location,
            ) from error
    remove_loop_tags(state.kernel)


def remove_loop_tags(kernel: ir.Operation) -> None:
    """Drops the marks of loops that handles stood for."""
    for loop in collect_ops(kernel, (*SEQUENTIAL, *PARALLEL)):
        for name in [name for name in loop.attributes if name.startswith(LOOP_TAG)]:
            del loop.attributes[name]


@dataclass(frozen=True)
class ApplySchedules(Pass):
    """Apply each `tloop.schedule` of the module to its kernel and remove it.

    Structured primitives are applied through upstream's transform dialect, one at a time, so that a failure
    names its step.
    """

    name: ClassVar[str] = "tloop-apply-schedules"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> None:
        schedules = [
            each.operation for each in op.regions[0].blocks[0] if each.operation.name == "tloop.schedule"
        ]
        for schedule in schedules:
            apply_schedule(op, schedule)
            schedule.erase()
