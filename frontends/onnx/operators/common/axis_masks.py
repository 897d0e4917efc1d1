"""Axes that only running tells: a tensor with the axes of a mask put last, and back.

The places of the elements are computed: those in a tensor with other strides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import Formula, counting, dims, formula, read_along
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class Rearrangement:
    """Tensors of the dims `shape` whose axes in `mask` (`[rank]` of i1) come last; both groups keep their
    order."""

    node: Node
    shape: Sequence[Dim]
    mask: Value

    def groups(self) -> list[Dim]:
        """How many elements the axes that stay have together, and those that are last."""
        own, is_last = dims(self.node, self.shape), self._is_last
        first = is_last.chosen(1, own).reduced("prod", 0, keepdims=True)
        return [*first.read(), *is_last.chosen(own, own.like(1)).reduced("prod", 0, keepdims=True).read()]

    def apart(self, x: Value) -> Value:
        """x, of the dims `shape`, as a matrix `[axes that stay, axes that are last]`."""
        count = product(self.shape)
        places = self._moved(count, self._strides(), self._plain_strides())
        flat = formula(self.node, self.node.reshape(x, [count]))
        return self.node.reshape(read_along(flat, 0, places).value, self.groups())

    def together(self, x: Value) -> Value:
        """What `apart` was applied to."""
        count = product(self.shape)
        places = self._moved(count, self._plain_strides(), self._strides())
        flat = formula(self.node, self.node.reshape(x, [count]))
        return self.node.reshape(read_along(flat, 0, places).value, self.shape)

    @property
    def _is_last(self) -> Formula:
        return formula(self.node, self.mask)

    def _moved(self, count: Dim, strides: Formula, others: Formula) -> Formula:
        """The place under other strides of each of `count` elements."""
        own, places = dims(self.node, self.shape), counting(self.node, count).shaped([count, 1])
        return (places // strides % own * others).reduced("sum", 1)

    def _plain_strides(self) -> Formula:
        later = np.triu(np.ones([len(self.shape)] * 2, bool), 1)
        return self._products(formula(self.node, self.node.constant(later)))

    def _strides(self) -> Formula:
        """Behind an axis lie the later ones of its group, and behind those that stay all others."""
        rank = len(self.shape)
        later = formula(self.node, self.node.constant(np.triu(np.ones([rank, rank], bool), 1)))
        last = self._is_last.cast(TensorProto.INT64)
        own, behind = last.shaped([rank, 1]), last.shaped([1, rank])
        return self._products((own.equals(behind) & later) | (own < behind))

    def _products(self, behind: Formula) -> Formula:
        """For each axis the product of the dims that lie behind it (`[axis, other axis]`), at least 1."""
        own = dims(self.node, self.shape)
        return behind.chosen(own, own.like(1)).reduced("prod", 1).max(1)
