"""Reads and writes of tensors' elements in loop nests."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import affine, ir, memref
from mlc.kernels.nest.affine_indices import Indexer, affine_of, index_value, map_of, value_range
from mlc.kernels.nest.nest_state import Array, NestBuilder
from mlc.kernels.scalars import Scalar, to_type
from mlc.passes.common.named_blocks import BLOCK_TAG


@dataclass(frozen=True)
class ArrayElement:
    """One element of an array, with subscripts that were computed once."""

    array: Array
    subscripts: Sequence[Indexer]

    def load(self, nest: NestBuilder) -> ir.Value:
        """Builds a load of the element."""
        access = self._affine(nest)
        if access is not None:
            return affine.AffineLoadOp(self._type(), self.array.memref, access[1], access[0]).result
        return memref.LoadOp(self.array.memref, self._indices(nest)).result

    def store(self, value: Scalar, nest: NestBuilder) -> None:
        """Builds a store to the element."""
        typed_value = to_type(value, self._type())
        access = self._affine(nest)
        if access is not None:
            op = affine.AffineStoreOp(typed_value, self.array.memref, access[1], map=access[0])
        else:
            op = memref.StoreOp(typed_value, self.array.memref, self._indices(nest))
        if nest.block is not None:
            op.operation.attributes[BLOCK_TAG] = ir.StringAttr.get(nest.block)

    def _type(self) -> ir.Type:
        return ir.MemRefType(self.array.memref.type).element_type

    def _affine(self, nest: NestBuilder) -> tuple[ir.AffineMapAttr, list[ir.Value]] | None:
        expressions = [subscript for subscript in map(affine_of, self.subscripts) if subscript is not None]
        if len(expressions) < len(self.subscripts):
            return None
        mapping, operands = map_of(expressions, nest)
        return ir.AffineMapAttr.get(mapping), operands

    def _indices(self, nest: NestBuilder) -> list[ir.Value]:
        return [index_value(subscript, nest) for subscript in self.subscripts]


def check_subscripts(node: ast.AST, texts: Sequence[str], element: ArrayElement, nest: NestBuilder) -> None:
    """Reports subscripts that leave the array, where the loops' bounds are static."""
    array = element.array
    if len(element.subscripts) != len(array.shape):
        nest.fail(f"{array.name} has {len(array.shape)} dims, but {len(element.subscripts)} subscripts", node)
    for axis, (subscript, text, size) in enumerate(zip(element.subscripts, texts, array.shape, strict=True)):
        expression = affine_of(subscript)
        bounds = value_range(expression, nest) if expression is not None else None
        if bounds is None or nest.guarded or (bounds[0] >= 0 and bounds[1] < size):
            continue
        reached = bounds[0] if bounds[0] < 0 else bounds[1]
        nest.fail(
            f"subscript {text} of {array.name} reaches {reached}, but dim {axis} has {size} elements", node
        )
