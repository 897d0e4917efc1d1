"""Default schedules of kernels with dynamic dims; sums along dynamic columns go row by row where no register
tile fits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, computations, dim_position, reads_all, root_computation
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.kernel_functions import LEAST_ITERATIONS
from mlc.passes.schedule.common.candidates import Candidate, guard
from mlc.passes.schedule.common.contractions import is_column_reduction, positions
from mlc.passes.schedule.common.plain import (
    PARALLEL_WORK,
    elementwise_sizes,
    row_dims,
    schedule_elementwise,
    schedule_rows,
)
from mlc.passes.schedule.cpu.epilogue import contraction_candidates, vectorises
from mlc.passes.schedule.cpu.streamed_attention import attention_candidates
from mlc.passes.schedule.cpu.transpose import schedule_transpose
from mlc.passes.schedule.cpu.trees import schedule_open_trees
from mlc.passes.schedule.cpu.windows import schedule_window
from mlc.passes.schedule.cpu.winograd import schedule_winograd


def schedule_open_columns(kernel: ir.Operation, root: Computation, anchor: Computation) -> list[int] | None:
    """Computes all columns of a row for one step of the reduction after the other, so that LLVM vectorises
    the innermost loop. Returns the root's dims of rows, or None if the kernel does not fit."""
    if [_column_of_root(root, anchor)] != root.parallel[-1:]:
        return None
    rows = [dim for dim in row_dims(root) if dim != root.parallel[-1]]
    scheduled = schedule_rows(kernel, root, rows)
    if scheduled is None:
        return None
    scheduled.builder.tile(
        scheduled.block(anchor), positions(dict.fromkeys(anchor.reductions, 1)), "sequential"
    )
    return rows


def _column_of_root(root: Computation, anchor: Computation) -> int | None:
    """Returns the root's dim that runs along the columns."""
    if root.op == anchor.op:
        return anchor.parallel[-1]
    reads = [read for value, read in zip(root.inputs, root.maps, strict=False) if value == anchor.result]
    return dim_position(list(reads[0].results)[-1]) if len(reads) == 1 else None


def open_candidates(kernel: ir.Operation) -> Iterator[Candidate]:
    """Yields the schedules for a kernel with dynamic dims, the fastest first. All tile every dynamic dim, so
    that the computations inside have static sizes."""
    yield "winograd", partial(schedule_winograd, kernel)
    yield "windows", partial(schedule_window, kernel)
    root, everything = root_computation(kernel), computations(kernel)
    # Loops over nothing stay as they are.
    if root is None or 0 in root.extents or not reads_all(root, everything):
        return
    yield from attention_candidates(kernel)
    reducing = [computation for computation in everything if computation.reductions]
    if len(reducing) == 1 and is_column_reduction(reducing[0]):
        yield from guard("contraction", contraction_candidates(kernel, root, reducing[0]))
    if len(reducing) == 1 and reducing[0].parallel and reducing[0].parallel[-1] in reducing[0].dynamic:
        yield "columns", lambda: _schedule_columns(kernel, root, reducing[0])
    yield "trees", lambda: _schedule_open_trees(kernel, root)
    if len(everything) > 1:
        yield "rows", lambda: _schedule_open_rows(kernel, root)
    elif not root.reductions:
        yield "transpose", lambda: vectorises(root) and _schedule_open_transpose(kernel, root)
        yield "elementwise", lambda: _schedule_open_elementwise(kernel, root)


def _schedule_columns(kernel: ir.Operation, root: Computation, anchor: Computation) -> bool:
    rows = schedule_open_columns(kernel, root, anchor)
    if rows is None:
        return False
    _keep_few_on_one_thread(kernel, prod(root.extents[dim] for dim in rows))
    return True


def _schedule_open_trees(kernel: ir.Operation, root: Computation) -> bool:
    iterations = schedule_open_trees(kernel, root)
    if iterations:
        _keep_few_on_one_thread(kernel, iterations)
    return iterations > 0


def _schedule_open_rows(kernel: ir.Operation, root: Computation) -> bool:
    everything = row_dims(root)
    # Rows of known counts stay inside, if others are parallel.
    rows = [dim for dim in everything if dim in root.dynamic] or everything
    scheduled = schedule_rows(kernel, root, rows)
    if scheduled is None:
        return False
    _keep_few_on_one_thread(kernel, scheduled.iterations)
    return True


def _schedule_open_elementwise(kernel: ir.Operation, root: Computation) -> bool:
    schedule_elementwise(kernel, root)
    sizes = elementwise_sizes(root.extents)
    tiles = [-(-extent // size) for extent, size in zip(root.extents, sizes, strict=False)]
    _keep_few_on_one_thread(kernel, prod(tiles))
    return True


def _schedule_open_transpose(kernel: ir.Operation, root: Computation) -> bool:
    iterations = schedule_transpose(kernel, root)
    if iterations:
        _keep_few_on_one_thread(kernel, iterations)
    return iterations > 0


def _keep_few_on_one_thread(kernel: ir.Operation, iterations: int) -> None:
    """Sets the least number of iterations of the parallel loop, likely of `iterations`, that are worth a
    thread."""
    points = max(computation.work for computation in computations(kernel)) // max(1, iterations)
    least = -(-PARALLEL_WORK // max(1, points))
    kernel.attributes[LEAST_ITERATIONS] = i64_attribute(least)
