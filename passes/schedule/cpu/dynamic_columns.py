"""The default schedule of sums of products along as many columns as only running tells: row by row."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.common.plain import row_dims, schedule_rows


def schedule_open_columns(kernel: ir.Operation, root: Computation, anchor: Computation) -> list[int] | None:
    """All columns of a row, for one step of the reduction after the other: LLVM makes vectors of columns in
    the innermost loop. Returns the root's dims of rows, or None where it does not fit."""
    if [_column_of_root(root, anchor)] != root.parallel[-1:]:
        return None
    rows = [dim for dim in row_dims(root) if dim != root.parallel[-1]]
    scheduled = schedule_rows(kernel, root, rows)
    if scheduled is None:
        return None
    scheduled.builder.tile(
        scheduled.block(anchor), positions(dict.fromkeys(anchor.reductions, 1)), "sequential"
    )
    return rows


def _column_of_root(root: Computation, anchor: Computation) -> int | None:
    """The root's dim that runs along the columns."""
    if root.op == anchor.op:
        return anchor.parallel[-1]
    reads = [each for value, each in zip(root.inputs, root.maps, strict=False) if value == anchor.result]
    return dim_position(list(reads[0].results)[-1]) if len(reads) == 1 else None
