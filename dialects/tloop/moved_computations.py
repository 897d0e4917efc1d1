"""Windows on plain images and the transforms of a Winograd convolution, which schedules move into the loops
that read them."""

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop.dialect import TLoop


class RowWindowOp(TLoop.Operation, name="row_window", traits=[ext.Pure]):
    """Combines the elements of windows on images `[N, C, H, W]`, each channel by itself: their "sum" or
    "maximum", or, with weights `[K, c, y, x]` as second operand, the sum of their "product"s: each channel
    of the result reads the `c` channels of its group. The padding, `pads` before and after rows and columns,
    consists of `neutral` elements.

    `compute_at` moves it into a loop over rows of the result, or tiles of them, where it becomes vector ops;
    `tloop-lower-windows` lowers what is left.
    """

    FORMS = {"kernel": "integers", "strides": "integers", "dilations": "integers", "pads": "integers"}

    kind: ir.StringAttr
    kernel: Any
    strides: Any
    dilations: Any
    pads: Any
    neutral: ir.FloatAttr
    image: ext.Operand[Any]
    weights: ext.Operand[Any] | None
    result: ext.Result[Any]


class WinogradOutputOp(TLoop.Operation, name="winograd_output", traits=[ext.Pure]):
    """Transforms products `[n*n, tiles, K/k, k]` back into images `[N, K/k, H, W, k]`, without what tiles
    compute beyond them; `sizes` are the dynamic dims of the images.

    `compute_at` moves it into a parallel loop over tiles of `tile` by `tile` results, where it becomes vector
    ops; `tloop-lower-windows` lowers what is left.
    """

    tile: ir.IntegerAttr
    products: ext.Operand[Any]
    sizes: Sequence[ext.Operand[ir.IndexType]]
    image: ext.Result[Any]


class WinogradInputOp(TLoop.Operation, name="winograd_input", traits=[ext.Pure]):
    """Transforms overlapping tiles of images `[N, C/c, H, W, c]` to `[n*n, tiles, C]`; `sizes` is the number
    of tiles, if it is dynamic. Tiles that reach beyond an image read its last row and column there.

    `compute_at` moves it into a loop that reads some of the tiles, where it becomes a loop over these;
    `tloop-lower-windows` lowers what is left.
    """

    tile: ir.IntegerAttr
    image: ext.Operand[Any]
    sizes: Sequence[ext.Operand[ir.IndexType]]
    tiles: ext.Result[Any]
