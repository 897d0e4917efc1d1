"""tloop-schedule-blocks: a schedule for every kernel of a GPU, whose tiles are thread blocks' work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.rewriting import collect_ops
from mlc.passes.tloop.block_places import flatten_elementwise, read_computed_places
from mlc.passes.tloop.block_products import schedule_product
from mlc.passes.tloop.block_results import parts_of
from mlc.passes.tloop.block_rows import schedule_part
from mlc.passes.tloop.block_vectors import schedule_vectors
from mlc.passes.tloop.block_windows import is_window, schedule_window
from mlc.passes.tloop.computation import computations, root_computation
from mlc.passes.tloop.contraction_schedule import is_multiply_add
from mlc.passes.tloop.kernel_functions import kernels_on_tensors, schedules
from mlc.passes.tloop.schedule_builder import ScheduleBuilder


def schedule_kernel(kernel: ir.Operation) -> None:
    """Adds the schedule of `kernel`. Raises PassFailure if it has none."""
    root = root_computation(kernel)
    reducing = [each for each in computations(kernel) if each.reductions]
    if root is not None and len(reducing) == 1 and not collect_ops(kernel, "tensor.insert_slice"):
        if is_multiply_add(reducing[0]):
            if not schedule_vectors(kernel, root, reducing[0]):
                schedule_product(kernel, root, reducing[0])
            return
        if is_window(reducing[0]):
            schedule_window(kernel, root, reducing[0])
            return
    schedule_results(kernel)


def schedule_results(kernel: ir.Operation) -> None:
    """Adds the schedule of a kernel whose results, and what is inserted into them, are scheduled each on its
    own."""
    read_computed_places(kernel)
    flatten_elementwise(kernel)
    parts = parts_of(kernel)
    builder = ScheduleBuilder(kernel)
    for part in parts:
        schedule_part(builder, part)


@dataclass(frozen=True)
class ScheduleBlocks(Pass):
    """Attach a `tloop.schedule` to each kernel that has none, for GPUs: the tiles of the result that its
    parallel loop makes are the work of a thread block each, which computes on all of its tile at once."""

    name: ClassVar[str] = "tloop-schedule-blocks"

    def run(self, op: ir.Operation) -> None:
        scheduled = set(schedules(op))
        for kernel in kernels_on_tensors(op):
            if kernel.attributes["sym_name"].value not in scheduled:
                schedule_kernel(kernel)
