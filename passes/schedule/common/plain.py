"""The default schedules of kernels whose loops are tiled but not vectorised: LLVM does that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir, linalg
from mlc.passes.common.computation import Computation, computations
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block
from mlc.passes.schedule.common.builder import ScheduleBuilder

# Kernels with less work (points of the largest iteration space) run on one thread: waking another costs more.
PARALLEL_WORK = 65_536
# Elements that one iteration of the parallel loop over an elementwise kernel handles at least.
ELEMENTS_PER_ITERATION = 2048


def tag(computation: Computation, name: str) -> None:
    name_block(computation.op, name)


def schedule_rows(kernel: ir.Operation, root: Computation, rows: Sequence[int]) -> RowSchedule | None:
    """One row at a time: all computations of the kernel move into a loop over `rows`, dims that no reduction
    touches. None where there are none."""
    if not rows:
        return None
    tag(root, "root")
    others = [each for each in computations(kernel) if each.op != root.op]
    for index, computation in enumerate(others):
        tag(computation, f"producer{index}")
    builder = ScheduleBuilder(kernel)
    sizes = [1 if dim in rows else 0 for dim in range(max(rows) + 1)]
    block, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    return RowSchedule(builder, {"root": block, **_move_all(builder, others, loop)})


@dataclass(frozen=True)
class RowSchedule:
    """A schedule whose loop over rows has all computations in it; `blocks` by their names."""

    builder: ScheduleBuilder
    blocks: dict[str, ir.Value]

    def block(self, computation: Computation) -> ir.Value:
        return self.blocks[computation.op.attributes[BLOCK_TAG].value]


def _move_all(builder: ScheduleBuilder, others: list[Computation], loop: ir.Value) -> dict[str, ir.Value]:
    """Consumers before producers."""
    names = [f"producer{index}" for index in reversed(range(len(others)))]
    return {name: builder.compute_at(builder.get_block(name), loop) for name in names}


def row_dims(root: Computation) -> list[int]:
    """Iteration dims of the root that every value computed in the kernel is indexed by."""
    shared = set(root.parallel)
    for value, indexing_map in zip(root.inputs, root.maps, strict=False):
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name == linalg.Generic.NAME:
            shared &= _plain_dims(indexing_map)
    return sorted(dim for dim in shared if root.extents[dim] > 1)


def _plain_dims(indexing_map: ir.AffineMap) -> set[int]:
    return {
        ir.AffineDimExpr(result).position
        for result in indexing_map.results
        if isinstance(result, ir.AffineDimExpr)
    }


def schedule_elementwise(kernel: ir.Operation, root: Computation) -> None:
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
