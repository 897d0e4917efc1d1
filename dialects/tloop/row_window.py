"""Windows on plain images, which schedules move into the loops that read them."""

from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop.dialect import TLoop


class RowWindow(TLoop.Operation, name="row_window", traits=[ext.Pure]):
    """Combines the elements of windows on images `[N, C, H, W]`, each channel by itself: their "sum" or
    "maximum", or, with weights `[C, 1, y, x]` as second operand, the sum of their "product"s. The padding in
    front, `pads`, and as much behind as the result needs, is of `neutral` elements.

    `compute_at` moves it into a parallel loop over rows of the result, where it becomes vector ops; it has no
    other lowering.
    """

    kind: ir.StringAttr
    kernel: Any
    strides: Any
    dilations: Any
    pads: Any
    neutral: ir.FloatAttr
    image: ext.Operand[Any]
    weights: ext.Operand[Any] | None
    result: ext.Result[Any]
