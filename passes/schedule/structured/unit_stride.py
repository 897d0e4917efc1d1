"""Moves constant strides from indexing maps into slices, because only unit-stride accesses vectorise."""

from __future__ import annotations

from mlc.bindings import ir, tensor
from mlc.passes.common.rewriting import collect_ops


def make_accesses_unit_stride(root: ir.Operation) -> None:
    """Rewrites every `linalg.generic` below `root` that reads with a map like `(d0 * 2, d1)`: the operand
    becomes a strided `tensor.extract_slice` of itself and the map `(d0, d1)`. Operands need static shapes."""
    for generic in collect_ops(root, "linalg.generic"):
        _rewrite(generic)


def _rewrite(generic: ir.Operation) -> None:
    maps = [attribute.value for attribute in generic.attributes["indexing_maps"]]
    for index, indexing_map in enumerate(maps):
        dims, strides = _split(indexing_map)
        if all(stride == 1 for stride in strides):
            continue
        generic.operands[index] = _strided_slice(generic, generic.operands[index], strides)
        maps[index] = ir.AffineMap.get(indexing_map.n_dims, indexing_map.n_symbols, dims)
    generic.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps])


def _split(indexing_map: ir.AffineMap) -> tuple[list[ir.AffineExpr], list[int]]:
    """`(d0 * 2, d1)` -> `[d0, d1], [2, 1]`."""
    dims, strides = [], []
    for expression in indexing_map.results:
        product = isinstance(expression, ir.AffineMulExpr)
        dims.append(expression.lhs if product else expression)
        strides.append(ir.AffineConstantExpr(expression.rhs).value if product else 1)
    return dims, strides


def _strided_slice(before: ir.Operation, operand: ir.Value, strides: list[int]) -> ir.Value:
    extents = ir.RankedTensorType(operand.type).shape
    sizes = [(extent - 1) // stride + 1 for extent, stride in zip(extents, strides, strict=True)]
    result = ir.RankedTensorType.get(sizes, ir.RankedTensorType(operand.type).element_type)
    with ir.InsertionPoint(before), before.location:
        return tensor.ExtractSliceOp(result, operand, [], [], [], [0] * len(sizes), sizes, strides).result
