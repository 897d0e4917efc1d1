"""Conversions of vectors to wider floats, moved in front of the ops that only spread their elements."""

from __future__ import annotations

from mlc.bindings import arith, ir, vector
from mlc.passes.common.rewriting import apply_patterns, defining_op, replace_op

_SPREADING = ("vector.transpose", "vector.broadcast")


def widen_first(kernel: ir.Operation) -> None:
    """extf(transpose(x)) -> transpose(extf(x)), and the same for broadcasts.

    Fewer elements are converted, and upstream sees a contraction in a product of transposed broadcasts only
    where nothing stands between the two.
    """
    apply_patterns(kernel, {"arith.extf": _swap})


def _swap(op: ir.Operation) -> bool:
    spread = next((found for name in _SPREADING if (found := defining_op(op.operands[0], name))), None)
    if spread is None or not isinstance(spread.operands[0].type, ir.VectorType):
        return False
    source, result = spread.operands[0], ir.VectorType(op.results[0].type)
    wide = arith.extf(ir.VectorType.get(ir.VectorType(source.type).shape, result.element_type), source)
    moved = spread.clone()
    moved.operands[0] = wide
    moved.results[0].set_type(result)
    replace_op(op, moved)
    return True


def widen_elements(kernel: ir.Operation) -> None:
    """extract(extf(x)) -> extf(extract(x)), for single elements: they can then be loaded one by one."""
    apply_patterns(kernel, {"vector.extract": _extract_first})


def _extract_first(op: ir.Operation) -> bool:
    widened = defining_op(op.operands[0], "arith.extf")
    if widened is None or len(op.operands) != 1 or isinstance(op.results[0].type, ir.VectorType):
        return False
    narrow = vector.extract(widened.operands[0], [], op.attributes["static_position"])
    replace_op(op, arith.extf(op.results[0].type, narrow))
    return True
