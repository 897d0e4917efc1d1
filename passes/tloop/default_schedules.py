"""tloop-default-schedules: a schedule for every kernel, by its class and the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.rewriting import replace_op
from mlc.passes.tloop.attention_schedule import schedule_attention
from mlc.passes.tloop.block_names import name_blocks
from mlc.passes.tloop.blocked_convolution import blocked_convolution
from mlc.passes.tloop.blocked_product import blocked_product, over_the_sums
from mlc.passes.tloop.column_sums import column_sums
from mlc.passes.tloop.computation import Computation, computations, root_computation
from mlc.passes.tloop.contraction_kinds import is_column_reduction
from mlc.passes.tloop.contraction_schedule import ContractionSchedule
from mlc.passes.tloop.identity import identity_behind
from mlc.passes.tloop.kernel_functions import DIMS, is_kernel, schedules
from mlc.passes.tloop.map_parallel_loops import ONE_THREAD
from mlc.passes.tloop.schedule_builder import ScheduleBuilder
from mlc.passes.tloop.schedule_state import name_block
from mlc.passes.tloop.target_attribute import target_of
from mlc.passes.tloop.transpose_schedule import schedule_transpose
from mlc.passes.tloop.tree_schedule import schedule_trees
from mlc.passes.tloop.window_schedule import schedule_window
from mlc.passes.tloop.winograd_schedule import schedule_winograd

# Kernels with less work (points of the largest iteration space) run on one thread: waking another costs more.
PARALLEL_WORK = 65_536
# The same for products and convolutions, which take many points per cycle.
PARALLEL_PRODUCTS = 8 * PARALLEL_WORK
# Elements that one iteration of the parallel loop over an elementwise kernel handles at least.
ELEMENTS_PER_ITERATION = 2048


def tag(computation: Computation, name: str) -> None:
    name_block(computation.op, name)


def schedule_kernel(kernel: ir.Operation) -> None:
    """Adds the schedule of `kernel`, or none where plain loops do."""
    if DIMS in kernel.attributes:
        _schedule_run_time_dims(kernel)
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
        and _schedule_contraction(kernel, root, reducing[0])
    ):
        return
    if reducing:
        _schedule_rows(kernel, root, row_dims(root))
    elif root.work >= PARALLEL_WORK and not (_vectorises(root) and schedule_transpose(kernel, root)):
        _schedule_elementwise(kernel, root)


def _schedule_run_time_dims(kernel: ir.Operation) -> None:
    """Tiles of one point of each dim that only running the kernel tells: what lies inside has a size."""
    root = root_computation(kernel)
    if root is not None and len(computations(kernel)) > 1:
        _schedule_rows(kernel, root, [dim for dim in row_dims(root) if dim in root.run_time])
    elif root is not None and not root.reductions:
        _schedule_elementwise(kernel, root)


def with_epilogue(anchor: Computation) -> Computation:
    """An identity behind the anchor, so that every contraction has an elementwise root, whose tiles drive
    the rest."""
    return identity_behind(anchor.result)


def _schedule_contraction(kernel: ir.Operation, root: Computation, anchor: Computation) -> bool:
    if not _vectorises(anchor):
        return False
    alone = root.op == anchor.op
    if alone:
        root = with_epilogue(anchor)
    schedule = ContractionSchedule(root, anchor, target_of(kernel))
    initial = anchor.init.owner
    if not schedule.matches() or isinstance(initial, ir.Block) or initial.name != "linalg.generic":
        return False
    tag(Computation(initial.operation), "init")
    tag(anchor, "anchor")
    # Sums lie where the result goes, which must be of their type; the root passes over them as vectors.
    over_sums = root.result.type == anchor.result.type and _vectorises(root)
    blocked = (blocked_product(schedule) or blocked_convolution(schedule)) if over_sums else None
    if blocked is not None:
        if alone:
            replace_op(root.op, [anchor.result])
        else:
            tag(over_the_sums(root, anchor), "root")
        blocked.build(ScheduleBuilder(kernel), has_root=not alone)
        return True
    tag(root, "root")
    sums = column_sums(schedule) if _vectorises(root) else None
    if sums is not None:
        sums.build(ScheduleBuilder(kernel))
    else:
        schedule.build(ScheduleBuilder(kernel), vector_root=_vectorises(root))
    return True


def _vectorises(computation: Computation) -> bool:
    """Vectors of less than 8 bits per element are packed in LLVM, but a tensor has a byte per element."""
    kinds = [
        ir.RankedTensorType(v.type).element_type
        for v in computation.op.operands
        if isinstance(v.type, ir.RankedTensorType)
    ]
    return not any(isinstance(kind, ir.IntegerType) and kind.width < 8 for kind in kinds)


def _schedule_rows(kernel: ir.Operation, root: Computation, rows: Sequence[int]) -> None:
    """One row at a time: all computations of the kernel move into a loop over `rows`, dims that no reduction
    touches."""
    if not rows:
        return
    tag(root, "root")
    others = [each for each in computations(kernel) if each.op != root.op]
    for index, computation in enumerate(others):
        tag(computation, f"producer{index}")
    builder = ScheduleBuilder(kernel)
    sizes = [1 if dim in rows else 0 for dim in range(max(rows) + 1)]
    _, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    _move_all(builder, others, loop)


def _move_all(builder: ScheduleBuilder, others: list[Computation], loop: ir.Value) -> None:
    """Consumers before producers."""
    for index in reversed(range(len(others))):
        builder.compute_at(builder.get_block(f"producer{index}"), loop)


def row_dims(root: Computation) -> list[int]:
    """Iteration dims of the root that every value computed in the kernel is indexed by."""
    shared = set(root.parallel)
    for value, indexing_map in zip(root.inputs, root.maps, strict=False):
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name == "linalg.generic":
            shared &= _plain_dims(indexing_map)
    return sorted(dim for dim in shared if root.extents[dim] > 1)


def _plain_dims(indexing_map: ir.AffineMap) -> set[int]:
    return {
        ir.AffineDimExpr(each).position for each in indexing_map.results if isinstance(each, ir.AffineDimExpr)
    }


def _schedule_elementwise(kernel: ir.Operation, root: Computation) -> None:
    """The outer dims become one parallel loop; what is left inside is long enough to vectorise."""
    tag(root, "root")
    builder = ScheduleBuilder(kernel)
    builder.tile(builder.get_block("root"), elementwise_sizes(root.extents), "parallel")


def elementwise_sizes(extents: Sequence[int]) -> list[int]:
    """Single points of the outer dims, as long as ELEMENTS_PER_ITERATION elements are left inside; where
    the first dim leaves fewer, so many points of it that there are."""
    sizes: list[int] = []
    inside = prod(extents)
    for extent in extents:
        inside //= extent
        if inside < ELEMENTS_PER_ITERATION:
            break
        sizes.append(1)
    return sizes or [ELEMENTS_PER_ITERATION // prod(extents[1:])]


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
