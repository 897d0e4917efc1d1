"""Dynamic axes: a tensor is rearranged so that the axes of a mask come last, and back.

An element's index under the other order of axes is computed from its coordinates and the other strides.
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
    """A permutation of tensors of the dims `shape` in which the axes in `mask` (`[rank]` of i1) come last;
    both groups keep their order."""

    node: Node
    shape: Sequence[Dim]
    mask: Value

    def groups(self) -> list[Dim]:
        """Returns the number of elements along the axes that stay and along those that come last."""
        own, is_last = dims(self.node, self.shape), self._is_last
        first = is_last.select(1, own).reduce("prod", 0, keepdims=True)
        return [*first.read(), *is_last.select(own, own.like(1)).reduce("prod", 0, keepdims=True).read()]

    def apart(self, x: Value) -> Value:
        """Reshapes x, of the dims `shape`, to a matrix `[axes that stay, axes that are last]`."""
        count = product(self.shape)
        indices = self._indices_under(count, self._strides(), self._plain_strides())
        flat = formula(self.node, self.node.reshape(x, [count]))
        return self.node.reshape(read_along(flat, 0, indices).value, self.groups())

    def together(self, x: Value) -> Value:
        """Undoes `apart`."""
        count = product(self.shape)
        indices = self._indices_under(count, self._plain_strides(), self._strides())
        flat = formula(self.node, self.node.reshape(x, [count]))
        return self.node.reshape(read_along(flat, 0, indices).value, self.shape)

    @property
    def _is_last(self) -> Formula:
        return formula(self.node, self.mask)

    def _indices_under(self, count: Dim, strides: Formula, others: Formula) -> Formula:
        """Returns the index of each of `count` elements, enumerated by `strides`, under the strides
        `others`."""
        own, indices = dims(self.node, self.shape), counting(self.node, count).reshape([count, 1])
        return (indices // strides % own * others).reduce("sum", 1)

    def _plain_strides(self) -> Formula:
        later = np.triu(np.ones([len(self.shape)] * 2, bool), 1)
        return self._products(formula(self.node, self.node.constant(later)))

    def _strides(self) -> Formula:
        """Returns the strides of the rearranged tensor.

        An axis that stays is followed by the later ones that stay and by all last ones, a last axis by the
        later last ones.
        """
        rank = len(self.shape)
        later = formula(self.node, self.node.constant(np.triu(np.ones([rank, rank], bool), 1)))
        last = self._is_last.cast(TensorProto.INT64)
        own, others = last.reshape([rank, 1]), last.reshape([1, rank])
        return self._products((own.equals(others) & later) | (own < others))

    def _products(self, follows: Formula) -> Formula:
        """Returns for each axis the product of the dims that follow it (`follows[axis, other axis]`), at
        least 1."""
        own = dims(self.node, self.shape)
        return follows.select(own, own.like(1)).reduce("prod", 1).max(1)
