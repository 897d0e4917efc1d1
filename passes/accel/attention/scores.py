"""Scores of a block of queries and a block of keys: scale, masks, and keys that there are not."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, log2

import numpy as np

from mlc.bindings import arith, ir, scf, vector
from mlc.passes.accel.attention.operands import QueryTileIndex, read_mask
from mlc.passes.accel.attention.problem import Attention
from mlc.passes.accel.attention.sizes import AttentionTileSizes
from mlc.passes.accel.attention.tiles import across, filled, numbered
from mlc.passes.common.constants import index_constant as index

# What hides a key from a query whose keys may all be hidden: their scores then still differ.
LOWEST = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class ScoreTile:
    """Of the tile of queries at a place; `memory` holds the kernel's buffers."""

    attention: Attention
    sizes: AttentionTileSizes
    memory: list[ir.Value]
    place: QueryTileIndex

    @property
    def factor(self) -> float:
        """By which scores are multiplied when they become powers of two."""
        return log2(e) * (1 if self._scaled_first else self.attention.scale)

    @property
    def _scaled_first(self) -> bool:
        """Whether the scale is applied before anything else: masks are added to scaled scores, and a scale
        that is not positive changes which is the greatest."""
        return self.attention.may_hide_all or self.attention.scale <= 0

    def masked(self, scores: ir.Value, first_key: ir.Value, end: ir.Value | None) -> ir.Value:
        """Of a product of queries and keys, the scores as the softmax takes them; `end` is `common_end`."""
        if self._scaled_first and self.attention.scale != 1:
            scores = arith.mulf(scores, filled(scores, self.attention.scale))
        if self.attention.mask is not None:
            scores = self._with_mask(scores, first_key)
        return scores if end is None else self._with_edges(scores, first_key, end)

    def _with_mask(self, scores: ir.Value, first_key: ir.Value) -> ir.Value:
        mask = read_mask(self.attention, self.sizes, self.memory, self.place, first_key)
        kind = mask.type.element_type
        if isinstance(kind, ir.IntegerType):
            return arith.select(mask, scores, filled(scores, self.attention.fill))
        if kind != scores.type.element_type:
            mask = arith.extf(scores.type, mask)
        return arith.addf(scores, mask)

    def _with_edges(self, scores: ir.Value, first_key: ir.Value, end: ir.Value) -> ir.Value:
        """Hides keys behind the last one, and, where the mask is causal, behind the diagonal: in blocks that
        reach beyond these."""
        behind = arith.addi(first_key, index(self.sizes.keys))
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.sgt, behind, end), [scores.type], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp([self._hidden(scores, first_key)])
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp([scores])
        return branch.results[0]

    def common_end(self) -> ir.Value | None:
        """Before which key all queries of the tile see all keys; None if that is every key of every block."""
        if self.attention.causal:
            return arith.addi(self.place.first_query, index(self.attention.later + 1))
        return index(self.attention.keys) if self.attention.keys % self.sizes.keys else None

    def _hidden(self, scores: ir.Value, first_key: ir.Value) -> ir.Value:
        attention, sizes = self.attention, self.sizes
        keys = numbered(sizes.keys, first_key)
        every = ir.VectorType.get([sizes.queries, sizes.keys], ir.IndexType.get())
        at = vector.BroadcastOp(every, keys).result
        if attention.causal:
            last = numbered(sizes.queries, arith.addi(self.place.first_query, index(attention.later)))
            later = arith.cmpi(arith.CmpIPredicate.sgt, at, across(last, sizes.keys))
            lowest = filled(scores, LOWEST if attention.may_hide_all else -inf)
            low = arith.addf(scores, lowest) if attention.may_hide_all else lowest
            scores = arith.select(later, low, scores)
        if attention.keys % sizes.keys == 0 or (attention.causal and not attention.may_hide_all):
            return scores
        outside = arith.cmpi(arith.CmpIPredicate.sge, at, _splat_index(every, attention.keys))
        return arith.select(outside, filled(scores, -inf), scores)


def _splat_index(kind: ir.VectorType, value: int) -> ir.Value:
    return vector.BroadcastOp(kind, index(value)).result
