"""Constants of kernels as computations, which blocks share."""

from __future__ import annotations

from mlc.bindings import arith, ir
from mlc.passes.base import PassFailure
from mlc.passes.common.linalg_builders import affine_map, dims, empty, generic
from mlc.passes.common.rewriting import collect_ops, replace_op


def compute_constants(kernel: ir.Operation) -> None:
    """Tensors of one number get a computation that writes it. Raises PassFailure for others."""
    for op in collect_ops(kernel, "arith.constant"):
        if isinstance(op.results[0].type, ir.RankedTensorType):
            replace_op(op, _filled(op))


def _filled(op: ir.Operation) -> ir.Value:
    kind, value = ir.RankedTensorType(op.results[0].type), op.attributes["value"]
    if not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
        raise PassFailure(
            "a constant whose elements differ has no form on tiles: threads cannot look numbers up in their "
            "code",
            op.location,
        )
    with ir.InsertionPoint(op), op.location:
        number = arith.ConstantOp(kind.element_type, value.get_splat_value()).result
        every = affine_map(kind.rank, dims(kind.rank))
        return generic(
            [number],
            [affine_map(kind.rank, [])],
            empty(kind.shape, kind.element_type),
            every,
            lambda new, _old: new,
        )
