"""Slices of `tloop.row_window`s, computed at the insertion point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ir, vector
from mlc.passes.common.linalg_builders import empty, index_value, static_shape
from mlc.passes.common.vector_builders import splat, write
from mlc.passes.lowering.windows.column_tiles import ColumnTile
from mlc.passes.lowering.windows.parts import WindowPart
from mlc.passes.lowering.windows.row_windows import tile_columns
from mlc.passes.lowering.windows.whole_rows import WholeRows


def row_window_part(
    op: ir.Operation, offsets: Sequence[ir.Value], part_type: ir.Type, lanes: int
) -> ir.Value:
    """Computes the part `[1, 1, rows, width]`, of type `part_type`, of a `tloop.row_window` at the offsets
    (image, channel, row, column) of its result, at the current insertion point."""
    rows, width = static_shape(part_type)[2:]
    image, channel, first, column = offsets
    if tile_columns(op, lanes):
        lanes = min(lanes, width)
        window: WindowPart[Any] = ColumnTile(
            op, image, channel, first, rows, lanes, column=column, columns=width
        )
    else:
        window = WholeRows(op, image, channel, first, rows, lanes)
    element = window.vector_type.element_type
    whole = ir.VectorType.get([rows, width], element)
    result = splat(whole, 0.0)
    for row, parts in enumerate(window.run()):
        for at, part in enumerate(parts):
            length = min(lanes, width - at * lanes)
            used = part if length == lanes else vector.ShuffleOp(part, part, list(range(length))).result
            result = vector.InsertStridedSliceOp(used, result, [row, at * lanes], [1]).result
    return write(result, empty(static_shape(part_type), element), [index_value(0)] * 4, 2)
