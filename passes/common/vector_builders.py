"""Vector and loop ops on tensors, for rules that write a kernel's loops themselves."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, arith, ir, scf, tensor, vector
from mlc.passes.common.dynamic_dims import UNKNOWN, static_and_dynamic
from mlc.passes.common.linalg_builders import affine_map, constant, dims, static_shape, tensor_type


def apply_map(expression: ir.AffineExpr, operands: Sequence[ir.Value]) -> ir.Value:
    """The value of an expression whose dims are the operands."""
    return affine.AffineApplyOp(affine_map(len(operands), [expression]), list(operands)).result


def splat(kind: ir.VectorType, value: float) -> ir.Value:
    """A vector of equal numbers."""
    number = ir.FloatAttr.get(kind.element_type, value)
    return arith.ConstantOp(kind, ir.DenseElementsAttr.get_splat(kind, number)).result


def _innermost(rank: int) -> ir.AffineMap:
    """Reads or writes along the last dim."""
    return affine_map(rank, dims(rank)[-1:])


def read(source: ir.Value, indices: Sequence[ir.Value], lanes: int) -> ir.Value:
    """`lanes` elements of the last dim."""
    kind = tensor_type(source)
    padding = constant(kind.element_type, 0)
    vector_type = ir.VectorType.get([lanes], kind.element_type)
    places = ir.AffineMapAttr.get(_innermost(kind.rank))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)])
    return vector.TransferReadOp(vector_type, source, list(indices), places, padding, inside).result


def read_padded(source: ir.Value, indices: Sequence[ir.Value], lanes: int, padding: float) -> ir.Value:
    """`lanes` elements of the last dim; those behind its end are `padding`."""
    kind = tensor_type(source)
    vector_type = ir.VectorType.get([lanes], kind.element_type)
    places = ir.AffineMapAttr.get(_innermost(kind.rank))
    behind = constant(kind.element_type, padding)
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(False)])
    return vector.TransferReadOp(vector_type, source, list(indices), places, behind, inside).result


def write(value: ir.Value, into: ir.Value, indices: Sequence[ir.Value], rank: int) -> ir.Value:
    """`into` with a vector of the last `rank` dims written at the indices."""
    count = tensor_type(into).rank
    places = ir.AffineMapAttr.get(affine_map(count, dims(count)[count - rank :]))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * rank)
    return vector.TransferWriteOp(into.type, value, into, list(indices), places, inside).result


def insert_in_parallel(
    loop: scf.ForallOp, part: ir.Value, place: Sequence[ir.Value | int], number: int = 0
) -> None:
    """Ends the loop: `part` goes to `place` of the loop's result of that number."""
    static = [each if isinstance(each, int) else UNKNOWN for each in place]
    dynamic = [each for each in place if not isinstance(each, int)]
    sizes, open_sizes = static_and_dynamic(static_shape(part))
    with ir.InsertionPoint(loop.terminator().regions[0].blocks[0]):
        tensor.ParallelInsertSliceOp(
            part, loop.inner_iter_args[number], dynamic, open_sizes, [], static, sizes, [1] * len(sizes)
        )
