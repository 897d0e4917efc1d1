"""Schedules of ensembles of trees: tiles of rows in parallel, all trees one after the other in each."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir, scf, tensor
from mlc.passes.common.computation import Computation, computations, dim_position, root_computation
from mlc.passes.common.kernel_functions import ONE_THREAD
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.builder import ScheduleBuilder

# Rows of a tile: the nodes of a tree, which lie in no near cache if there are many trees, are read once for
# all of them.
MOST_ROWS = 512
# Fewer rows per tile where there would be fewer tiles, or their features or leaves would leave the second
# cache.
LEAST_TILES = 8
MOST_BYTES = 256 * 1024
# Ways from root to leaf, below which waking another thread costs more than they do.
PARALLEL_WAYS = 8192


def schedule_trees(kernel: ir.Operation) -> bool:
    """Adds the schedule if the kernel goes down trees."""
    root = root_computation(kernel)
    if root is None or not collect_ops(kernel, scf.While.NAME):
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
    sizes = [0] * rows + [tile_rows(root.extents[rows], MOST_BYTES // _row_bytes(kernel, root.extents[rows]))]
    _, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    for number in reversed(range(len(others))):
        builder.compute_at(builder.get_block(f"producer{number}"), loop)
    return True


def _tag(computation: Computation, name: str) -> None:
    computation.op.attributes[BLOCK_TAG] = ir.StringAttr.get(name)


def _row_bytes(kernel: ir.Operation, rows: int) -> int:
    """What a row takes: its features, or its leaves in all trees where the kernel keeps them."""
    kept = [
        computation.init.type for computation in computations(kernel) if not _is_float(computation.init.type)
    ]
    reads = [op for op in collect_ops(kernel, tensor.Extract.NAME) if op.parent.name == scf.While.NAME]
    kept += [op.operands[0].type for op in reads if _is_float(op.operands[0].type)]
    sizes = [prod(kind.shape) * kind.element_type.width // 8 for kind in kept if rows in kind.shape]
    return max(1, max(sizes, default=0) // rows)


def _is_float(kind: ir.Type) -> bool:
    return isinstance(ir.RankedTensorType(kind).element_type, ir.FloatType)


def tile_rows(count: int, most: int) -> int:
    """Rows of a tile, which divide all rows."""
    most = max(1, min(most, MOST_ROWS, count // LEAST_TILES))
    return max(rows for rows in range(1, most + 1) if count % rows == 0)
