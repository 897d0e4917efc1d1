"""tloop-lower-windows: windows that no schedule has computed part by part become loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, tensor
from mlc.dialects import tloop
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.linalg_builders import dims, empty, static_shape, tensor_type
from mlc.passes.common.rewriting import collect_ops, replace_op
from mlc.passes.common.target import lanes, target_of
from mlc.passes.common.vector_builders import apply_map
from mlc.passes.lowering.rules.row_windows import ROW_WINDOW, part_rows, row_window_part
from mlc.passes.lowering.rules.winograd import nest


def as_loops(op: ir.Operation, width: int) -> ir.Value:
    """Computes a `tloop.row_window` some rows at a time; `width` is the length of vectors."""
    result = tloop.RowWindow(op).result
    shape, rows = static_shape(result), part_rows(op, width)
    element = tensor_type(result).element_type
    type_ = ir.RankedTensorType.get([1, 1, rows, shape[3]], element)
    zero = index_constant(0)

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        image, channel, block = indices
        offsets = [image, channel, apply_map(dims(1)[0] * rows, [block])]
        computed = row_window_part(op, [*offsets, zero], type_, width)
        unknown = ir.ShapedType.get_dynamic_size()
        static, sizes, ones = [unknown] * 3 + [0], list(type_.shape), [1] * 4
        return tensor.InsertSliceOp(computed, into, offsets, [], [], static, sizes, ones).result

    return nest([*shape[:2], shape[2] // rows], empty(shape, element), part)


@dataclass(frozen=True)
class LowerWindows(Pass):
    """Turn each `tloop.row_window` that is left, as where a schedule from a file names other blocks, into
    sequential loops over images, channels and rows."""

    name: ClassVar[str] = "tloop-lower-windows"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        windows = collect_ops(op, ROW_WINDOW)
        for window in windows:
            with ir.InsertionPoint(window), window.location:
                result = as_loops(window, lanes(target_of(op)))
            replace_op(window, [result])
        return bool(windows)
