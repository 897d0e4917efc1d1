"""tloop-schedule-blocks: a schedule for every kernel of a GPU, whose tiles are thread blocks' work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassFailure
from mlc.passes.tloop.block_parts import compute_all_at, tag_producers
from mlc.passes.tloop.block_products import schedule_product
from mlc.passes.tloop.block_tiles import elementwise_tile, row_tile
from mlc.passes.tloop.block_vectors import schedule_vectors
from mlc.passes.tloop.block_windows import is_window, schedule_window
from mlc.passes.tloop.computation import computations, root_computation
from mlc.passes.tloop.contraction_schedule import is_multiply_add
from mlc.passes.tloop.kernel_functions import kernels_on_tensors, schedules
from mlc.passes.tloop.schedule_builder import ScheduleBuilder


def schedule_kernel(kernel: ir.Operation) -> None:
    """Adds the schedule of `kernel`. Raises PassFailure if it has none."""
    root = root_computation(kernel)
    if root is None:
        raise PassFailure("a kernel with several results has no schedule for blocks", kernel.location)
    reducing = [each for each in computations(kernel) if each.reductions]
    if len(reducing) == 1 and is_multiply_add(reducing[0]):
        if not schedule_vectors(kernel, root, reducing[0]):
            schedule_product(kernel, root, reducing[0])
        return
    if len(reducing) == 1 and is_window(reducing[0]):
        schedule_window(kernel, root, reducing[0])
        return
    others = tag_producers(kernel, root)
    tile = row_tile(root, others) if reducing else elementwise_tile(root)
    builder = ScheduleBuilder(kernel)
    _, loop = builder.tile(builder.get_block("root"), tile, "parallel")
    compute_all_at(builder, others, loop)


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
