"""Values that stand in for others of the same type."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, takewhile

from mlc.bindings import address, arith, ir


def earlier_value(op: ir.Operation, wanted: ir.Type) -> ir.Value | None:
    """An operand of `op`, an argument of its block or an earlier result in it, of the type `wanted`."""
    here = address(op)
    earlier = takewhile(lambda each: address(each) != here, op.block.operations)
    results = chain.from_iterable(each.operation.results for each in earlier)
    values = chain(op.operands, op.block.arguments, results)
    return next((value for value in values if value.type == wanted), None)


def zero_before(op: ir.Operation, wanted: ir.Type) -> ir.Value | None:
    """A new constant zero in front of `op`; None if the type has none."""
    zero = zero_of(wanted)
    if zero is None:
        return None
    where = ir.InsertionPoint(op)
    constant = ir.Operation.create(
        arith.Constant.NAME, results=[wanted], attributes={"value": zero}, ip=where
    )
    return constant.results[0]


def values_before(op: ir.Operation, types: Sequence[ir.Type]) -> list[ir.Value] | None:
    """A value in front of `op` for each type, earlier ones or zeros. Makes nothing if one cannot be had."""
    found = [(wanted, earlier_value(op, wanted)) for wanted in types]
    if any(value is None and zero_of(wanted) is None for wanted, value in found):
        return None
    values = [value if value is not None else zero_before(op, wanted) for wanted, value in found]
    return [value for value in values if value is not None]


def zero_of(wanted: ir.Type) -> ir.Attribute | None:
    """The zero of a number's type or of a tensor or vector of static shape; None for other types."""
    if isinstance(wanted, (ir.RankedTensorType, ir.VectorType)):
        element = zero_of(wanted.element_type) if wanted.has_static_shape else None
        return ir.DenseElementsAttr.get_splat(wanted, element) if element is not None else None
    if isinstance(wanted, (ir.IntegerType, ir.IndexType)):
        return ir.IntegerAttr.get(wanted, 0)
    return ir.FloatAttr.get(wanted, 0.0) if isinstance(wanted, ir.FloatType) else None
