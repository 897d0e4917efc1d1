"""Schedules of ensembles of trees: a parallel loop over tiles of rows, and in it one over all trees."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir, scf, tensor
from mlc.passes.common.computation import computations, dim_position, root_computation
from mlc.passes.common.kernel_functions import ONE_THREAD
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.builder import ScheduleBuilder

# Rows of a tile: the nodes of a tree, which are in no near cache if there are many trees, are read once for
# all of them.
MOST_ROWS = 512
# With several threads, fewer rows per tile if there were fewer tiles; fewer if their features or leaves did
# not fit the L2 cache. A tile of fewer rows than walk together (tloop-jam-while-loops) is one row, which
# walks down several trees at the same time.
LEAST_TILES = 8
LEAST_ROWS = 8
MOST_BYTES = 256 * 1024
# Paths from root to leaf, below which waking another thread costs more than they do.
PARALLEL_WAYS = 8192


def schedule_trees(kernel: ir.Operation) -> bool:
    """Schedules a kernel that evaluates trees; returns False for another one."""
    root = root_computation(kernel)
    if root is None or not collect_ops(kernel, scf.While.NAME):
        return False
    rows = dim_position(root.maps[-1].results[0])
    if rows is None or root.extents[rows] == 1:
        return True
    most = min(MOST_ROWS, MOST_BYTES // _row_bytes(kernel, root.extents[rows]))
    if root.work < PARALLEL_WAYS:
        kernel.attributes[ONE_THREAD] = ir.UnitAttr.get()
    else:
        most = min(most, max(LEAST_ROWS, root.extents[rows] // LEAST_TILES))
    everything = computations(kernel)
    others = [computation for computation in everything if computation.op != root.op]
    name_block(root.op, "root")
    for index, computation in enumerate(others):
        name_block(computation.op, f"producer{index}")
    builder = ScheduleBuilder(kernel)
    sizes = [0] * rows + [tile_rows(root.extents[rows], most)]
    _, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    for index in reversed(range(len(others))):
        builder.compute_at(builder.get_block(f"producer{index}"), loop)
    return True


def _row_bytes(kernel: ir.Operation, rows: int) -> int:
    """Returns the bytes of a row: its features, or its leaves in all trees if the kernel keeps them."""
    kept = [
        computation.init.type for computation in computations(kernel) if not _is_float(computation.init.type)
    ]
    reads = [op for op in collect_ops(kernel, tensor.Extract.NAME) if op.parent.name == scf.While.NAME]
    sources = [tensor.Extract(op).tensor.type for op in reads]
    kept += [type_ for type_ in sources if _is_float(type_)]
    sizes = [prod(type_.shape) * type_.element_type.width // 8 for type_ in kept if rows in type_.shape]
    return max(1, max(sizes, default=0) // rows)


def _is_float(type_: ir.Type) -> bool:
    return isinstance(ir.RankedTensorType(type_).element_type, ir.FloatType)


def tile_rows(count: int, most: int) -> int:
    """Returns the rows of a tile, which divide all rows: at most `most`, and 1 or at least LEAST_ROWS."""
    return max((rows for rows in range(LEAST_ROWS, most + 1) if count % rows == 0), default=1)
