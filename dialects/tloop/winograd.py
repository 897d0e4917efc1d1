"""The tiles of a Winograd convolution, a computation that schedules move into the loop over its results."""

from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop.dialect import TLoop


class WinogradOutput(TLoop.Operation, name="winograd_output", traits=[ext.Pure]):
    """Transforms products `[n*n, tiles, K/k, k]` back into images `[N, K/k, H, W, k]`.

    `compute_at` moves it into a parallel loop over tiles of `tile` by `tile` results, where it becomes vector
    ops; it has no other lowering.
    """

    tile: ir.IntegerAttr
    products: ext.Operand[Any]
    image: ext.Result[Any]
