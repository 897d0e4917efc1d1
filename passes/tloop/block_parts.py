"""What the schedules for thread blocks share: names of a kernel's computations, and moving all into a
loop."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.passes.tloop.computation import Computation, computations
from mlc.passes.tloop.default_schedules import tag
from mlc.passes.tloop.schedule_builder import ScheduleBuilder


def tag_producers(kernel: ir.Operation, root: Computation) -> list[Computation]:
    """Names for all computations; those but the root, in program order."""
    tag(root, "root")
    others = [each for each in computations(kernel) if each.op != root.op]
    for index, each in enumerate(others):
        tag(each, producer(index))
    return others


def producer(index: int) -> str:
    """The name of one of those."""
    return f"producer{index}"


def compute_all_at(builder: ScheduleBuilder, others: Sequence[Computation], loop: ir.Value) -> None:
    """Consumers before producers."""
    for index in reversed(range(len(others))):
        builder.compute_at(builder.get_block(producer(index)), loop)
