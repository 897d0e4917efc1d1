"""Local response normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from mlc.bindings import arith, ir, linalg, math, tensor
from mlc.passes.lowering.linalg_tools import constant, elementwise, static_shape
from mlc.passes.lowering.rule import rule
from mlc.passes.lowering.scalars import add, div, mul, select


def _index(dim: int) -> ir.Value:
    return linalg.IndexOp(dim).result


def _index_constant(value: int) -> ir.Value:
    return constant(ir.IndexType.get(), value)


@rule("lrn")
def lower_lrn(op: ir.Operation) -> list[ir.Value]:
    """x * (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ -beta, on [N, C,
    spatial...].

    One elementwise computation, whose body reads each neighbour: the innermost loop stays contiguous, and
    which neighbours exist does not change in it.
    """
    x, size = op.operands[0], op.attributes["size"].value

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        return _normalised(op, scalars[0], _neighbour_squares(x, scalars[0], size))

    return [elementwise([x], x.type, body)]


def _normalised(op: ir.Operation, value: ir.Value, squares: ir.Value) -> ir.Value:
    """`value` divided by the power of what its neighbours' squares sum up to."""
    scale, bias = op.attributes["alpha"].value / op.attributes["size"].value, op.attributes["bias"].value
    base = add(constant(value.type, bias), mul(constant(value.type, scale), squares))
    return div(value, _power(base, op.attributes["beta"].value))


def _power(base: ir.Value, exponent: float) -> ir.Value:
    """`base ** exponent`, by square roots where they do (the exponent of every published LRN is 0.75)."""
    if exponent == 1:
        return base
    if exponent not in (0.5, 0.75):
        return math.powf(base, constant(base.type, exponent))
    root = math.sqrt(base)
    return root if exponent == 0.5 else mul(root, math.sqrt(root))


def _neighbour_squares(x: ir.Value, value: ir.Value, size: int) -> ir.Value:
    """The sum over the channels around that of `value`, the element of `x` at the iteration's index."""
    channels = static_shape(x)[1]
    # Further away there is no channel.
    before, after = min((size - 1) // 2, channels - 1), min(size // 2, channels - 1)
    squares = [
        _neighbour_square(x, offset) if offset else mul(value, value) for offset in range(-before, after + 1)
    ]
    return reduce(add, squares)


def _neighbour_square(x: ir.Value, offset: int) -> ir.Value:
    """The square of the element `offset` channels from the iteration's index, 0 where there is none."""
    shape = static_shape(x)
    channel = arith.addi(_index(1), _index_constant(offset))
    inside, place = _neighbour(channel, offset, shape[1])
    value = tensor.extract(x, [_index(0), place, *map(_index, range(2, len(shape)))])
    return select(inside, mul(value, value), constant(value.type, 0))


def _neighbour(channel: ir.Value, offset: int, count: int) -> tuple[ir.Value, ir.Value]:
    """Whether there is a channel `channel` of `count`, which lies `offset` away from one, and a place that
    may be read."""
    edge = _index_constant(0 if offset < 0 else count - 1)
    predicate = arith.CmpIPredicate.sge if offset < 0 else arith.CmpIPredicate.sle
    place = (arith.maxsi if offset < 0 else arith.minsi)(channel, edge)
    return arith.cmpi(predicate, channel, edge), place
