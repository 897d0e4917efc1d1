"""Scores of a tile of queries and a tile of keys: scale, masks, and keys out of bounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, log2

import numpy as np

from mlc.bindings import arith, ir, scf, vector
from mlc.passes.accel.attention.operands import QueryTileIndex, read_mask
from mlc.passes.accel.attention.problem import Attention
from mlc.passes.accel.attention.sizes import AttentionTileSizes
from mlc.passes.accel.attention.tiles import broadcast_columns, index_range, splat_like
from mlc.passes.common.constants import index_constant as index

# Added to masked scores of queries whose keys may all be masked: the scores keep their order.
LOWEST = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class ScoreTile:
    """The scores of a tile of queries; `memory` holds the kernel's buffers."""

    attention: Attention
    sizes: AttentionTileSizes
    memory: list[ir.Value]
    query_tile: QueryTileIndex

    @property
    def factor(self) -> float:
        """The factor of scores in the exponents of powers of two."""
        return log2(e) * (1 if self._scaled_first else self.attention.scale)

    @property
    def _scaled_first(self) -> bool:
        """Whether the scale is applied first: masks are added to scaled scores, and a scale that is not
        positive changes which score is the maximum."""
        return self.attention.may_hide_all or self.attention.scale <= 0

    def mask_scores(self, scores: ir.Value, first_key: ir.Value, end: ir.Value | None) -> ir.Value:
        """Scales and masks the product of queries and keys from `first_key` on; `end` is `common_end()`."""
        if self._scaled_first and self.attention.scale != 1:
            scores = arith.mulf(scores, splat_like(scores, self.attention.scale))
        if self.attention.mask is not None:
            scores = self._with_mask(scores, first_key)
        return scores if end is None else self._mask_crossing_tile(scores, first_key, end)

    def _with_mask(self, scores: ir.Value, first_key: ir.Value) -> ir.Value:
        mask = read_mask(self.attention, self.sizes, self.memory, self.query_tile, first_key)
        element = mask.type.element_type
        if isinstance(element, ir.IntegerType):
            return arith.select(mask, scores, splat_like(scores, self.attention.fill))
        if element != scores.type.element_type:
            mask = arith.extf(scores.type, mask)
        return arith.addf(scores, mask)

    def _mask_crossing_tile(self, scores: ir.Value, first_key: ir.Value, end: ir.Value) -> ir.Value:
        """Masks keys after the last one and, with a causal mask, after the diagonal, in tiles that cross
        these."""
        tile_end = arith.addi(first_key, index(self.sizes.keys))
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.sgt, tile_end, end), [scores.type], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp([self._mask_edges(scores, first_key)])
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp([scores])
        return branch.results[0]

    def common_end(self) -> ir.Value | None:
        """Returns the end of the keys that all queries of the tile see, or None if no tile of keys crosses
        it."""
        if self.attention.causal:
            return arith.addi(self.query_tile.first_query, index(self.attention.diagonal + 1))
        return index(self.attention.keys) if self.attention.keys % self.sizes.keys else None

    def _mask_edges(self, scores: ir.Value, first_key: ir.Value) -> ir.Value:
        attention, sizes = self.attention, self.sizes
        indices = ir.VectorType.get([sizes.queries, sizes.keys], ir.IndexType.get())
        keys = vector.BroadcastOp(indices, index_range(sizes.keys, first_key)).result
        if attention.causal:
            first_diagonal = arith.addi(self.query_tile.first_query, index(attention.diagonal))
            diagonal = index_range(sizes.queries, first_diagonal)
            after = arith.cmpi(arith.CmpIPredicate.sgt, keys, broadcast_columns(diagonal, sizes.keys))
            lowest = splat_like(scores, LOWEST if attention.may_hide_all else -inf)
            low = arith.addf(scores, lowest) if attention.may_hide_all else lowest
            scores = arith.select(after, low, scores)
        if attention.keys % sizes.keys == 0 or (attention.causal and not attention.may_hide_all):
            return scores
        end = vector.BroadcastOp(indices, index(attention.keys)).result
        out_of_bounds = arith.cmpi(arith.CmpIPredicate.sge, keys, end)
        return arith.select(out_of_bounds, splat_like(scores, -inf), scores)
