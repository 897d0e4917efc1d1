"""Builders of vector and loop ops on tensors, for rules that write a kernel's loops themselves."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, arith, ir, scf, tensor, vector
from mlc.passes.common.dynamic_dims import UNKNOWN, static_and_dynamic
from mlc.passes.common.linalg_builders import affine_map, constant, dims, static_shape, tensor_type


def apply_map(expression: ir.AffineExpr, operands: Sequence[ir.Value]) -> ir.Value:
    """Builds an `affine.apply` of an expression whose dims are the operands."""
    return affine.AffineApplyOp(affine_map(len(operands), [expression]), list(operands)).result


def splat(type_: ir.VectorType, value: float) -> ir.Value:
    """Builds a vector of equal elements."""
    element = ir.FloatAttr.get(type_.element_type, value)
    return arith.ConstantOp(type_, ir.DenseElementsAttr.get_splat(type_, element)).result


def read(source: ir.Value, indices: Sequence[ir.Value], lanes: int) -> ir.Value:
    """Builds a read of `lanes` elements of the last dim."""
    return _read(source, indices, lanes, 0, in_bounds=True)


def read_padded(source: ir.Value, indices: Sequence[ir.Value], lanes: int, padding: float) -> ir.Value:
    """Builds a read of `lanes` elements of the last dim; those after its end are `padding`."""
    return _read(source, indices, lanes, padding, in_bounds=False)


def _read(
    source: ir.Value, indices: Sequence[ir.Value], lanes: int, padding: float, in_bounds: bool
) -> ir.Value:
    type_ = tensor_type(source)
    fill = constant(type_.element_type, padding)
    vector_type = ir.VectorType.get([lanes], type_.element_type)
    last_dim = ir.AffineMapAttr.get(affine_map(type_.rank, dims(type_.rank)[-1:]))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(in_bounds)])
    return vector.TransferReadOp(vector_type, source, list(indices), last_dim, fill, inside).result


def write(value: ir.Value, into: ir.Value, indices: Sequence[ir.Value], rank: int) -> ir.Value:
    """Builds `into` with a vector of the last `rank` dims written at the indices."""
    count = tensor_type(into).rank
    last_dims = ir.AffineMapAttr.get(affine_map(count, dims(count)[count - rank :]))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * rank)
    return vector.TransferWriteOp(into.type, value, into, list(indices), last_dims, inside).result


def insert_in_parallel(
    loop: scf.ForallOp, part: ir.Value, offsets: Sequence[ir.Value | int], result: int = 0
) -> None:
    """Ends the loop: `part` is inserted at `offsets` of the loop's result at index `result`."""
    static = [offset if isinstance(offset, int) else UNKNOWN for offset in offsets]
    dynamic = [offset for offset in offsets if not isinstance(offset, int)]
    sizes, open_sizes = static_and_dynamic(static_shape(part))
    with ir.InsertionPoint(loop.terminator().regions[0].blocks[0]):
        tensor.ParallelInsertSliceOp(
            part, loop.inner_iter_args[result], dynamic, open_sizes, [], static, sizes, [1] * len(sizes)
        )
