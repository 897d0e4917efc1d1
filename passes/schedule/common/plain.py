"""Default schedules of kernels whose loops are tiled but not vectorised: LLVM does that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir, linalg
from mlc.passes.common.computation import Computation, computations, dim_position, last_dims
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import positions

# Kernels with less work (points of the largest iteration space) run on one thread: waking another costs more.
PARALLEL_WORK = 65_536
# Elements that one iteration of the parallel loop over an elementwise kernel handles at least.
ELEMENTS_PER_ITERATION = 2048
# Rows across memory that are computed at a time.
ROWS_ACROSS = 64


def schedule_rows(kernel: ir.Operation, root: Computation, rows: Sequence[int]) -> RowSchedule | None:
    """Moves all computations of the kernel into a parallel loop over `rows`, dims that no reduction touches,
    so that each iteration computes one row. Returns None if there are none."""
    if not rows:
        return None
    name_block(root.op, "root")
    others = [computation for computation in computations(kernel) if computation.op != root.op]
    for index, computation in enumerate(others):
        name_block(computation.op, f"producer{index}")
    builder = ScheduleBuilder(kernel)
    sizes = [1 if dim in rows else 0 for dim in range(max(rows) + 1)]
    across = root.parallel[-1] in rows and any(map(reads_columns, [root, *others]))
    if across:
        # Rows whose elements are not next to each other: as many rows as vectors need, side by side.
        sizes[root.parallel[-1]] = min(ROWS_ACROSS, root.extents[root.parallel[-1]])
    block, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    iterations = prod(-(-root.extents[dim] // sizes[dim]) for dim in rows)
    scheduled = RowSchedule(builder, {"root": block, **_move_all(builder, others, loop)}, iterations)
    for computation in (root, *others):
        if reads_columns(computation):
            scheduled.tile(computation, dict.fromkeys(computation.reductions, 1))
    return scheduled


def reads_columns(computation: Computation) -> bool:
    """Whether the elements that results next to each other reduce are next to each other, too."""
    columns = set(computation.parallel[-1:])
    return bool(computation.reductions) and any(columns & last_dims(read) for read in computation.maps[:-1])


@dataclass(frozen=True)
class RowSchedule:
    """A schedule whose loop over rows, likely of `iterations`, has all computations in it; `blocks` by their
    names."""

    builder: ScheduleBuilder
    blocks: dict[str, ir.Value]
    iterations: int

    def block(self, computation: Computation) -> ir.Value:
        """Returns the handle of a computation."""
        return self.blocks[computation.op.attributes[BLOCK_TAG].value]

    def tile(self, computation: Computation, sizes: Mapping[int, int]) -> None:
        """Tiles a computation by sequential loops over tiles of `sizes[dim]` points."""
        tiled, _ = self.builder.tile(self.block(computation), positions(sizes), "sequential")
        self.blocks[computation.op.attributes[BLOCK_TAG].value] = tiled


def _move_all(builder: ScheduleBuilder, others: list[Computation], loop: ir.Value) -> dict[str, ir.Value]:
    """Moves the computations into the loop, consumers before producers."""
    names = [f"producer{index}" for index in reversed(range(len(others)))]
    return {name: builder.compute_at(builder.get_block(name), loop) for name in names}


def row_dims(root: Computation) -> list[int]:
    """Returns the iteration dims of the root that index every value computed in the kernel."""
    return sorted(dim for dim in _shared_dims(root) if root.extents[dim] > 1)


def _shared_dims(computation: Computation) -> set[int]:
    """Returns the parallel dims that index every value that the computation needs: those along which a window
    slides over a value do not."""
    shared = set(computation.parallel)
    for value, read in zip(computation.inputs, computation.maps, strict=False):
        op = linalg.Generic.defining(value)
        if op is not None:
            producer = Computation(op.operation)
            inner = _shared_dims(producer)
            axes = zip(read.results, producer.parallel, strict=True)
            shared &= {dim_position(result) for result, dim in axes if dim in inner}
    return shared


def schedule_elementwise(kernel: ir.Operation, root: Computation) -> bool:
    """Makes the outer dims one parallel loop; the inner extents are long enough to vectorise. Fits every
    kernel."""
    name_block(root.op, "root")
    builder = ScheduleBuilder(kernel)
    builder.tile(builder.get_block("root"), elementwise_sizes(root.extents), "parallel")
    return True


def elementwise_sizes(extents: Sequence[int]) -> list[int]:
    """Returns tile sizes of 1 for the outer dims, as long as ELEMENTS_PER_ITERATION elements are left inside;
    if the first dim leaves fewer, the size of it that gives these."""
    sizes: list[int] = []
    inside = prod(extents)
    for extent in extents:
        inside //= extent
        if inside < ELEMENTS_PER_ITERATION:
            break
        sizes.append(1)
    return sizes or [ELEMENTS_PER_ITERATION // prod(extents[1:])]
