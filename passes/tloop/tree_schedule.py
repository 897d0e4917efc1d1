"""Schedules of ensembles of trees: tiles of rows in parallel, all trees one after the other in each."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.rewriting import collect_ops
from mlc.passes.tloop.computation import Computation, computations, dim_position, root_computation
from mlc.passes.tloop.map_parallel_loops import ONE_THREAD
from mlc.passes.tloop.schedule_builder import ScheduleBuilder
from mlc.passes.tloop.schedule_state import BLOCK_TAG

# Rows of a tile: a tree is read once for all of them, and their features and leaves stay in the first cache.
MOST_ROWS = 64
# Fewer rows per tile where there would be fewer tiles.
LEAST_TILES = 16
# Ways from root to leaf, below which waking another thread costs more than they do.
PARALLEL_WAYS = 8192


def schedule_trees(kernel: ir.Operation) -> bool:
    """Adds the schedule if the kernel goes down trees."""
    root = root_computation(kernel)
    if root is None or not collect_ops(kernel, "scf.while"):
        return False
    rows = dim_position(root.maps[-1].results[0])
    if rows is None or root.extents[rows] == 1:
        return True
    if root.work < PARALLEL_WAYS:
        kernel.attributes[ONE_THREAD] = ir.UnitAttr.get()
    everything = computations(kernel)
    others = [each for each in everything if each.op != root.op]
    _tag(root, "root")
    for number, each in enumerate(others):
        _tag(each, f"producer{number}")
    builder = ScheduleBuilder(kernel)
    sizes = [0] * rows + [tile_rows(root.extents[rows])]
    _, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    for number in reversed(range(len(others))):
        builder.compute_at(builder.get_block(f"producer{number}"), loop)
    return True


def _tag(computation: Computation, name: str) -> None:
    computation.op.attributes[BLOCK_TAG] = ir.StringAttr.get(name)


def tile_rows(count: int) -> int:
    """Rows of a tile, which divide all rows."""
    most = min(MOST_ROWS, max(1, count // LEAST_TILES))
    return max(rows for rows in range(1, most + 1) if count % rows == 0)
