"""The default schedule of windows on plain images that are computed by rows."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.common.computation import root_computation
from mlc.passes.common.dynamic_dims import UNKNOWN
from mlc.passes.common.linalg_builders import tensor_type
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import lanes, target_of
from mlc.passes.lowering.windows.row_windows import ROW_WINDOW, part_rows, tile_columns
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.copy_computations import insert_copy
from mlc.passes.schedule.cpu.epilogue import vectorises


def schedule_window(kernel: ir.Operation) -> bool:
    """Schedules a parallel loop over images, channels and rows of the result, a few at a time, and a loop
    over tiles of columns in it where rows are not computed as a whole; returns False if there is no such
    window."""
    windows = collect_ops(kernel, ROW_WINDOW)
    if not windows:
        return False
    window, root = windows[0], root_computation(kernel)
    result = tloop.RowWindow(window).result
    if root is None or result not in list(root.op.operands) or not vectorises(root):
        # Computations on booleans are a loop over elements after the window's.
        root = insert_copy(result)
    name_block(root.op, "root")
    name_block(window, "window")
    builder = ScheduleBuilder(kernel)
    width = lanes(target_of(kernel))
    rows, columns = part_rows(window, width), tile_columns(window, width)
    tiled, loop = builder.tile(builder.get_block("root"), [1, 1, rows], "parallel")
    extent = tensor_type(result).shape[3]
    if columns:
        tiled, loop = builder.tile(tiled, [0, 0, 0, columns], "sequential")
        if extent != UNKNOWN and extent % columns:
            builder.shift_inwards(loop)
    builder.compute_at(builder.get_block("window"), loop)
    builder.vectorize([tiled])
    return True
