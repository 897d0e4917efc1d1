"""tloop-default-schedules: a schedule for every kernel, by its class and the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.passes.base import Pass, option
from mlc.passes.common.computation import Computation, computations, reads_all, root_computation
from mlc.passes.common.kernel_functions import DIMS, ONE_THREAD, is_kernel, schedules
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block, tagged_blocks
from mlc.passes.schedule.common.candidates import Candidate, add_first, guard
from mlc.passes.schedule.common.contractions import is_column_reduction
from mlc.passes.schedule.common.plain import PARALLEL_WORK, row_dims, schedule_elementwise, schedule_rows
from mlc.passes.schedule.cpu.attention import schedule_attention
from mlc.passes.schedule.cpu.dynamic_sizes import open_candidates
from mlc.passes.schedule.cpu.epilogue import contraction_candidates, vectorises
from mlc.passes.schedule.cpu.narrow_columns import schedule_narrow_columns
from mlc.passes.schedule.cpu.streamed_attention import schedule_streamed
from mlc.passes.schedule.cpu.transpose import schedule_transpose
from mlc.passes.schedule.cpu.trees import schedule_trees
from mlc.passes.schedule.cpu.windows import schedule_window
from mlc.passes.schedule.cpu.winograd import schedule_winograd


def name_blocks(kernel: ir.Operation) -> None:
    """Names the computations of a kernel for schedules of users, unless they have names.

    "root" computes the result. If one other is a reduction it is "anchor", and the computation of its initial
    value "init". The rest are "producer0", "producer1", ... in program order.
    """
    if tagged_blocks(kernel):
        return
    root, everything = root_computation(kernel), computations(kernel)
    names: list[tuple[Computation, str]] = [(root, "root")] if root is not None else []
    others = [computation for computation in everything if root is None or computation.op != root.op]
    reducing = [computation for computation in others if computation.reductions]
    if len(reducing) == 1:
        names.append((reducing[0], "anchor"))
    candidates = [*reducing, *([root] if root else [])]
    names += [(computation, "init") for computation in everything if _starts(computation, candidates)]
    for computation, name in names:
        name_block(computation.op, name)
    rest = [computation for computation in everything if BLOCK_TAG not in computation.op.attributes]
    for index, computation in enumerate(rest):
        name_block(computation.op, f"producer{index}")


def _starts(computation: Computation, candidates: list[Computation]) -> bool:
    """Whether the computation is the initial value of the only reduction among the candidates."""
    reducing = [candidate for candidate in candidates if candidate.reductions]
    return len(reducing) == 1 and reducing[0].init == computation.result


# Transposing fewer elements takes no longer one by one.
FEWEST_TRANSPOSED = 1024
# PARALLEL_WORK of products and convolutions, which take many points per cycle.
PARALLEL_PRODUCTS = 8 * PARALLEL_WORK


def candidates(kernel: ir.Operation) -> Iterator[Candidate]:
    """Yields the schedules for the class of `kernel`, the fastest first. Where none fits, plain loops do."""
    if DIMS in kernel.attributes:
        yield from open_candidates(kernel)
        return
    yield "winograd", partial(schedule_winograd, kernel)
    yield "windows", partial(schedule_window, kernel)
    yield "trees", partial(schedule_trees, kernel)
    root, everything = root_computation(kernel), computations(kernel)
    # Empty iteration spaces cannot be tiled.
    if root is None or any(computation.work == 0 for computation in everything):
        return
    if not reads_all(root, everything):
        return
    if all(map(_is_small, everything)):
        kernel.attributes[ONE_THREAD] = ir.UnitAttr.get()
    yield "attention", partial(schedule_attention, kernel)
    yield "streamed-attention", partial(schedule_streamed, kernel)
    reducing = [computation for computation in everything if computation.reductions]
    if len(reducing) == 1 and is_column_reduction(reducing[0]):
        yield from guard("contraction", contraction_candidates(kernel, root, reducing[0]))
    yield "narrow-columns", lambda: schedule_narrow_columns(kernel, root, everything)
    if len(everything) > 1 or reducing:
        yield "rows", lambda: schedule_rows(kernel, root, row_dims(root)) is not None
    if not reducing and root.work >= FEWEST_TRANSPOSED:
        yield "transpose", lambda: vectorises(root) and schedule_transpose(kernel, root) > 0
    if not reducing and root.work >= PARALLEL_WORK:
        yield "elementwise", lambda: schedule_elementwise(kernel, root)


def _is_small(computation: Computation) -> bool:
    """Whether the computation is not worth waking a thread."""
    return computation.work < (PARALLEL_PRODUCTS if computation.reductions else PARALLEL_WORK)


@dataclass(frozen=True)
class DefaultSchedules(Pass):
    """Attach a `tloop.schedule` to each kernel that has none: register tiles for contractions, convolutions
    and pooling; tiles of rows for ensembles of trees; a loop over rows for softmax and normalisations; a
    parallel loop for elementwise kernels."""

    name: ClassVar[str] = "tloop-default-schedules"

    without: tuple[str, ...] = option(
        (), help="schedules that are not used, as 'attention': the next one that fits is"
    )

    def run(self, op: ir.Operation) -> None:
        scheduled = set(schedules(op))
        for kernel in filter(is_kernel, [child.operation for child in op.regions[0].blocks[0]]):
            if func.Func(kernel).sym_name in scheduled:
                name_blocks(kernel)
            else:
                add_first(kernel, candidates(kernel), self.without)
