"""tloop-default-schedules: a schedule for every kernel, by its class and the target.

The names by which the schedule of a user finds the computations of a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.computation import Computation, computations, root_computation
from mlc.passes.common.kernel_functions import DIMS, ONE_THREAD, is_kernel, schedules
from mlc.passes.common.named_blocks import BLOCK_TAG, tagged_blocks
from mlc.passes.schedule.common.contractions import is_column_reduction
from mlc.passes.schedule.common.plain import PARALLEL_WORK, row_dims, schedule_elementwise, schedule_rows
from mlc.passes.schedule.cpu.attention import schedule_attention
from mlc.passes.schedule.cpu.dynamic_sizes import schedule_run_time_dims
from mlc.passes.schedule.cpu.epilogue import schedule_contraction, vectorises
from mlc.passes.schedule.cpu.transpose import schedule_transpose
from mlc.passes.schedule.cpu.trees import schedule_trees
from mlc.passes.schedule.cpu.windows import schedule_window
from mlc.passes.schedule.cpu.winograd import schedule_winograd


def name_blocks(kernel: ir.Operation) -> None:
    """Names the computations of a kernel, unless they have names.

    "root" computes the result. Where one other is a reduction it is "anchor", and what computes its initial
    value "init". The rest are "producer0", "producer1", ... in program order.
    """
    if tagged_blocks(kernel):
        return
    root, everything = root_computation(kernel), computations(kernel)
    names: list[tuple[Computation, str]] = [(root, "root")] if root is not None else []
    reducing = [each for each in everything if each.reductions and (root is None or each.op != root.op)]
    if len(reducing) == 1:
        names.append((reducing[0], "anchor"))
    names += [(each, "init") for each in everything if _starts(each, [*reducing, *([root] if root else [])])]
    for computation, name in names:
        computation.op.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
    rest = [each for each in everything if BLOCK_TAG not in each.op.attributes]
    for index, computation in enumerate(rest):
        computation.op.attributes[BLOCK_TAG] = ir.StringAttr.get(f"producer{index}")


def _starts(computation: Computation, candidates: list[Computation]) -> bool:
    """Whether the computation is the initial value of the only reduction among the candidates."""
    reducing = [candidate for candidate in candidates if candidate.reductions]
    return len(reducing) == 1 and reducing[0].init == computation.result


# The same for products and convolutions, which take many points per cycle.
PARALLEL_PRODUCTS = 8 * PARALLEL_WORK


def schedule_kernel(kernel: ir.Operation) -> None:
    """Adds the schedule of `kernel`, or none where plain loops do."""
    if DIMS in kernel.attributes:
        schedule_run_time_dims(kernel)
        return
    if schedule_winograd(kernel) or schedule_window(kernel) or schedule_trees(kernel):
        return
    root, everything = root_computation(kernel), computations(kernel)
    # Nothing can be tiled without a point.
    if root is None or any(each.work == 0 for each in everything):
        return
    if all(each.work < (PARALLEL_PRODUCTS if each.reductions else PARALLEL_WORK) for each in everything):
        kernel.attributes[ONE_THREAD] = ir.UnitAttr.get()
    if schedule_attention(kernel):
        return
    reducing = [each for each in everything if each.reductions]
    if (
        len(reducing) == 1
        and is_column_reduction(reducing[0])
        and schedule_contraction(kernel, root, reducing[0])
    ):
        return
    if reducing:
        schedule_rows(kernel, root, row_dims(root))
    elif root.work >= PARALLEL_WORK and not (vectorises(root) and schedule_transpose(kernel, root)):
        schedule_elementwise(kernel, root)


@dataclass(frozen=True)
class DefaultSchedules(Pass):
    """Attach a `tloop.schedule` to each kernel that has none: register tiles for contractions, convolutions
    and pooling; tiles of rows for ensembles of trees; a loop over rows for softmax and normalisations; a
    parallel loop for elementwise kernels."""

    name: ClassVar[str] = "tloop-default-schedules"

    def run(self, op: ir.Operation) -> None:
        scheduled = set(schedules(op))
        for kernel in [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]:
            if kernel.attributes["sym_name"].value in scheduled:
                name_blocks(kernel)
            else:
                schedule_kernel(kernel)
