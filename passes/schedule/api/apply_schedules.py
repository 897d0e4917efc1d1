"""tloop-apply-schedules: runs every `tloop.schedule` on its kernel."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import tloop
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.api.primitives import STEPS
from mlc.passes.schedule.common.loops import PARALLEL, SEQUENTIAL
from mlc.passes.schedule.common.state import LOOP_TAG, ScheduleState, StepError

# Called after each step with its position, from 1, and its op.
Watcher = Callable[[int, ir.Operation], None]


def find_kernel(module: ir.Operation, schedule: ir.Operation) -> ir.Operation:
    """Returns the `func.func` that the schedule names. Raises PassError if there is none."""
    name = tloop.Schedule(schedule).kernel
    for op in module.regions[0].blocks[0]:
        if func.Func.isa(op) and func.Func(op).sym_name == name:
            return op.operation
    raise PassError(f"the schedule's kernel @{name} does not exist", schedule.location)


def schedules_of(module: ir.Operation) -> list[ir.Operation]:
    """Returns the schedules of a module, in its order."""
    return [op.operation for op in module.regions[0].blocks[0] if tloop.Schedule.isa(op)]


def apply_schedule(
    kernel: ir.Operation, schedule: ir.Operation, random: Random | None = None, watch: Watcher | None = None
) -> None:
    """Applies the primitives of `schedule` in order. Raises PassError naming the kernel and the primitive.

    `random` makes the decisions that the schedule lacks.
    """
    state = ScheduleState(kernel, random)
    for position, op in enumerate(schedule.regions[0].blocks[0], 1):
        primitive = op.operation
        try:
            STEPS[primitive.name](primitive, state)
        except StepError as error:
            name = tloop.Schedule(schedule).kernel
            raise PassError(
                f"schedule of @{name}: step {position} ('{primitive.name}') does not apply: {error}",
                primitive.location,
            ) from error
        if watch is not None:
            watch(position, primitive)
    remove_loop_tags(kernel)


def remove_loop_tags(kernel: ir.Operation) -> None:
    """Removes the tags by which handles refer to loops."""
    for loop in collect_ops(kernel, (*SEQUENTIAL, *PARALLEL)):
        for name in [name for name in loop.attributes if name.startswith(LOOP_TAG)]:
            del loop.attributes[name]


@dataclass(frozen=True)
class ApplySchedules(Pass):
    """Apply each `tloop.schedule` of the module to its kernel and remove it.

    Structured primitives are applied through upstream's transform dialect, those on loops by rebuilding the
    loop nest; one at a time, so that a failure names its step.
    """

    name: ClassVar[str] = "tloop-apply-schedules"
    exactness: ClassVar[str] = "rounding"

    print_steps: bool = option(False, help="print the kernel after each step to standard error")

    def run(self, op: ir.Operation) -> None:
        for schedule in schedules_of(op):
            kernel = find_kernel(op, schedule)
            apply_schedule(kernel, schedule, watch=step_printer(kernel) if self.print_steps else None)
            schedule.erase()


def step_printer(kernel: ir.Operation) -> Watcher:
    """Returns a watcher that prints the kernel under a line that names the step."""

    def show(position: int, primitive: ir.Operation) -> None:
        text = kernel.get_asm(use_local_scope=True, assume_verified=True)
        name = func.Func(kernel).sym_name
        print(f"// After step {position} of the schedule of @{name}: {primitive}\n{text}\n", file=sys.stderr)

    return show
