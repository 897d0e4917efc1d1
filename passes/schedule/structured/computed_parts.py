"""`compute_at` for computations that are no linalg ops but know their parts: each part that a loop reads is
computed where it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import ir
from mlc.passes.common.target import lanes, target_of
from mlc.passes.lowering.rules.row_windows import ROW_WINDOW, row_window_part
from mlc.passes.schedule.structured.slice_offsets import slice_offsets
from mlc.passes.schedule.structured.winograd_tiles import INPUT, OUTPUT, input_part, output_part


def window_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """Rows of a window on plain images."""
    return row_window_part(op, slice_offsets(reader), reader.results[0].type, lanes(target_of(op)))


_PARTS: dict[str, Callable[[ir.Operation, ir.Operation], ir.Value]] = {
    INPUT: input_part,
    OUTPUT: output_part,
    ROW_WINDOW: window_part,
}


def is_transform(op: ir.Operation) -> bool:
    """Whether the computation is no linalg op but knows its parts."""
    return op.name in _PARTS


def compute_parts(op: ir.Operation, readers: Sequence[ir.Operation]) -> None:
    """Replaces the slices `readers` of the computation `op` by computations of what they read."""
    for reader in readers:
        with ir.InsertionPoint(reader), reader.location:
            part = _PARTS[op.name](op, reader)
        reader.results[0].replace_all_uses_with(part)
        reader.erase()
    op.erase()
