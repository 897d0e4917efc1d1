"""The default schedules of kernels with dims that only running them tells."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, computations, root_computation
from mlc.passes.common.kernel_functions import LEAST_ITERATIONS
from mlc.passes.schedule.common.contractions import is_column_reduction
from mlc.passes.schedule.common.plain import (
    PARALLEL_WORK,
    elementwise_sizes,
    row_dims,
    schedule_elementwise,
    schedule_rows,
)
from mlc.passes.schedule.cpu.dynamic_columns import schedule_open_columns
from mlc.passes.schedule.cpu.epilogue import schedule_contraction
from mlc.passes.schedule.cpu.streamed_attention import schedule_streamed_attention


def schedule_run_time_dims(kernel: ir.Operation) -> None:
    """Tiles of one point of each dim that only running the kernel tells: what lies inside has a size."""
    root, reducing = root_computation(kernel), [each for each in computations(kernel) if each.reductions]
    # Loops over nothing stay as they are.
    if root is None or 0 in root.extents:
        return
    if schedule_streamed_attention(kernel):
        return
    product = len(reducing) == 1 and _has_open_rows(reducing[0])
    if product and schedule_contraction(kernel, root, reducing[0]):
        return
    if len(reducing) == 1 and reducing[0].parallel and reducing[0].parallel[-1] in reducing[0].run_time:
        rows = schedule_open_columns(kernel, root, reducing[0])
        if rows is not None:
            _keep_few_on_one_thread(kernel, prod(root.extents[dim] for dim in rows))
            return
    rows = [dim for dim in row_dims(root) if dim in root.run_time]
    if len(computations(kernel)) > 1:
        schedule_rows(kernel, root, rows)
        if rows:
            _keep_few_on_one_thread(kernel, prod(root.extents[dim] for dim in rows))
    elif not root.reductions:
        schedule_elementwise(kernel, root)
        sizes = elementwise_sizes(root.extents)
        tiles = [-(-extent // size) for extent, size in zip(root.extents, sizes, strict=False)]
        _keep_few_on_one_thread(kernel, prod(tiles))


def _keep_few_on_one_thread(kernel: ir.Operation, iterations: int) -> None:
    """Says how many iterations of the parallel loop, likely one of `iterations`, are worth a thread."""
    points = max(each.work for each in computations(kernel)) // max(1, iterations)
    least = -(-PARALLEL_WORK // max(1, points))
    kernel.attributes[LEAST_ITERATIONS] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), least)


def _has_open_rows(anchor: Computation) -> bool:
    """Whether vectors run along a dim of known size, so that a register tile fits."""
    return is_column_reduction(anchor) and anchor.parallel[-1] not in anchor.run_time
