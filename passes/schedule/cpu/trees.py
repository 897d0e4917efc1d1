"""Schedules of ensembles of trees: a parallel loop over tiles of rows, and in it one over all trees."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir, scf, tensor
from mlc.passes.common.computation import Computation, computations, dim_position, root_computation
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
    builder, others = _named_blocks(kernel, root)
    sizes = [0] * rows + [tile_rows(root.extents[rows], most)]
    _, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    for name in others:
        builder.compute_at(builder.get_block(name), loop)
    return True


def schedule_open_trees(kernel: ir.Operation, root: Computation) -> int:
    """Schedules a kernel that evaluates trees for a dynamic number of rows: eight at a time, the others one
    by one. Returns the likely number of tiles; 0 for another kernel, and for too many leaves in a tile."""
    if not root.parallel or not collect_ops(kernel, scf.While.NAME):
        return 0
    rows = dim_position(root.maps[-1].results[0])
    if rows is None or rows not in root.dynamic:
        return 0
    if LEAST_ROWS * 4 * prod(root.extents[:rows]) > MOST_BYTES:
        return 0
    builder, others = _named_blocks(kernel, root)
    sizes = [0] * rows + [LEAST_ROWS]
    block, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
    moved = {name: builder.compute_at(builder.get_block(name), loop) for name in others}
    _, loop = builder.tile(block, sizes, "sequential")
    for name, producer in moved.items():
        # The loop carries the results from where they are initialised.
        if others[name].result in root.inputs:
            builder.compute_at(producer, loop)
    builder.balance(loop, full=True)
    return -(-root.extents[rows] // LEAST_ROWS)


def _named_blocks(kernel: ir.Operation, root: Computation) -> tuple[ScheduleBuilder, dict[str, Computation]]:
    """Names the root and the other computations; returns a builder, and the others, consumers first."""
    others = [computation for computation in computations(kernel) if computation.op != root.op]
    named = {f"producer{index}": computation for index, computation in enumerate(others)}
    name_block(root.op, "root")
    for name, computation in named.items():
        name_block(computation.op, name)
    return ScheduleBuilder(kernel), dict(reversed(named.items()))


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
