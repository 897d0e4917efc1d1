"""Comparisons of places, which a thread's registers have at known distances from each other."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir
from mlc.passes.accel.common import integers
from mlc.passes.accel.threads.common.code import ThreadCode, Tile
from mlc.passes.accel.threads.common.elementwise import elementwise
from mlc.passes.accel.threads.common.layout_conversions import laid_out
from mlc.passes.common.rewriting import defining_op

# arith.cmpi's numbers of slt, sle, sgt and sge.
_SIGNED = (2, 3, 4, 5)


def compare(code: ThreadCode, op: ir.Operation) -> None:
    """`arith.cmpi`: where registers hold places `x + c` of one `x`, `x + c > y` as `c > y - x`: there is one
    difference for all that have the same `y`, and nothing to add for each. Places are memories' and loops',
    and so far from where 32 bits end."""
    kind = op.operands[0].type
    predicate = op.attributes["predicate"]
    is_index = isinstance(kind, ir.VectorType) and isinstance(kind.element_type, ir.IndexType)
    if not is_index or ir.IntegerAttr(predicate).value not in _SIGNED:
        elementwise(code, op)
        return
    layout = code.layouts[op.results[0]]
    left, right = (laid_out(code, each, layout).values for each in op.operands)
    sums = [_sum_of(each) for each in left]
    if len({terms for terms, _ in sums}) > 1 or len({known for _, known in sums}) == 1:
        elementwise(code, op)
        return
    differences = _differences(right, sums[0][0])
    pairs = zip((known for _, known in sums), right, strict=True)
    compared = (arith.cmpi(predicate, integers.value(known), differences[b]) for known, b in pairs)
    code.values[op.results[0]] = Tile(layout, tuple(compared))


def _sum_of(value: ir.Value) -> tuple[tuple[ir.Value, ...], int]:
    """What is added up to a number, and of that what is known."""
    constant, total = defining_op(value, "arith.constant"), defining_op(value, "arith.addi")
    if constant is not None:
        return (), int(ir.IntegerAttr(constant.attributes["value"]).value)
    if total is None:
        return (value,), 0
    parts = [_sum_of(each) for each in total.operands]
    return tuple(each for terms, _ in parts for each in terms), sum(known for _, known in parts)


def _differences(values: Sequence[ir.Value], terms: Sequence[ir.Value]) -> dict[ir.Value, ir.Value]:
    """Between each of `values` and the sum of `terms`."""
    base = integers.total(terms)
    if base == 0:
        return {each: each for each in values}
    return {each: arith.subi(each, integers.value(base)) for each in dict.fromkeys(values)}


HANDLERS = {"arith.cmpi": compare}
