"""tloop-schedule-blocks: a schedule for every kernel of a GPU, whose tiles are thread blocks' work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassFailure
from mlc.passes.tloop.block_tiles import elementwise_tile, product_tile, row_tile
from mlc.passes.tloop.computation import Computation, computations, dims_read, root_computation
from mlc.passes.tloop.contraction_schedule import is_multiply_add
from mlc.passes.tloop.default_schedules import tag
from mlc.passes.tloop.identity import identity_behind
from mlc.passes.tloop.kernel_functions import is_kernel, schedules
from mlc.passes.tloop.schedule_builder import ScheduleBuilder

# Copies of a product's operands that are under way while it computes, and one it computes on.
STAGES = 3


def schedule_kernel(kernel: ir.Operation) -> None:
    """Adds the schedule of `kernel`. Raises PassFailure if it has none."""
    root = root_computation(kernel)
    if root is None:
        raise PassFailure("a kernel with several results has no schedule for blocks", kernel.location)
    reducing = [each for each in computations(kernel) if each.reductions]
    if len(reducing) == 1 and is_multiply_add(reducing[0]) and _has_rows_and_columns(reducing[0]):
        _schedule_product(kernel, root, reducing[0])
        return
    others = _tagged(kernel, root)
    tile = row_tile(root, others) if reducing else elementwise_tile(root)
    builder = ScheduleBuilder(kernel)
    _, loop = builder.tile(builder.get_block("root"), tile, "parallel")
    _move_all(builder, others, loop)


def _has_rows_and_columns(product: Computation) -> bool:
    """Whether each operand has a dim of the result for itself that is longer than 1."""
    left, right = (dims_read(each) for each in product.maps[:2])
    longer = {dim for dim in product.parallel if product.extents[dim] > 1}
    return bool(longer & (left - right)) and bool(longer & (right - left))


def _tagged(kernel: ir.Operation, root: Computation) -> list[Computation]:
    """Names for all computations; those but the root."""
    tag(root, "root")
    others = [each for each in computations(kernel) if each.op != root.op]
    for index, each in enumerate(others):
        tag(each, f"producer{index}")
    return others


def _move_all(builder: ScheduleBuilder, others: list[Computation], loop: ir.Value) -> None:
    """Consumers before producers."""
    for index in reversed(range(len(others))):
        builder.compute_at(builder.get_block(f"producer{index}"), loop)


def _schedule_product(kernel: ir.Operation, root: Computation, anchor: Computation) -> None:
    """Sums of a tile stay in registers; operands come into shared memory by steps of the reduction."""
    if root.op == anchor.op:
        root = identity_behind(anchor.result)
    tile = product_tile(root, anchor)
    others = _tagged(kernel, root)
    builder = ScheduleBuilder(kernel)
    _, loop = builder.tile(builder.get_block("root"), tile.result, "parallel")
    _move_all(builder, others, loop)
    number = [each.op == anchor.op for each in others].index(True)
    inner, steps = builder.tile(builder.get_block(f"producer{number}"), tile.depth, "sequential")
    for operand, name in enumerate(("left", "right")):
        builder.cache_read(inner, steps, operand, name)
    builder.annotate(steps, "accel.stages", STAGES)


@dataclass(frozen=True)
class ScheduleBlocks(Pass):
    """Attach a `tloop.schedule` to each kernel that has none, for GPUs: the tiles of the result that its
    parallel loop makes are the work of a thread block each, which computes on all of its tile at once."""

    name: ClassVar[str] = "tloop-schedule-blocks"

    def run(self, op: ir.Operation) -> None:
        scheduled = set(schedules(op))
        for kernel in [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]:
            if kernel.attributes["sym_name"].value not in scheduled:
                schedule_kernel(kernel)
