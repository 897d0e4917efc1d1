"""32-bit integers of a thread's code: Python's where they are known, values of the IR otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TypeAlias

from mlc.bindings import arith, ir
from mlc.passes.common.constants import i1, i32, integer_constant

Integer: TypeAlias = "int | ir.Value"


def value(number: Integer) -> ir.Value:
    """As a value of the IR."""
    if isinstance(number, ir.Value):
        return number
    return integer_constant(i32(), number)


def add(a: Integer, b: Integer) -> Integer:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return arith.AddIOp(value(a), value(b)).result


def total(numbers: Sequence[Integer]) -> Integer:
    """The sum; what is known is added last, so that addresses differ by constants."""
    known = sum(number for number in numbers if isinstance(number, int))
    result: Integer = 0
    for each in numbers:
        if not isinstance(each, int):
            result = add(result, each)
    return add(result, known)


def multiply(a: Integer, b: Integer) -> Integer:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    if 1 in (a, b):
        return b if a == 1 else a
    return arith.MulIOp(value(a), value(b)).result


def shift_right(a: Integer, count: int) -> Integer:
    if isinstance(a, int):
        return a >> count
    return a if count == 0 else arith.ShRUIOp(a, value(count)).result


def mask(a: Integer, ones: int) -> Integer:
    """The bits of `a` that are set in `ones`."""
    return a & ones if isinstance(a, int) else arith.AndIOp(a, value(ones)).result


def exclusive_or(a: Integer, b: Integer) -> Integer:
    if isinstance(a, int) and isinstance(b, int):
        return a ^ b
    if 0 in (a, b):
        return b if a == 0 else a
    return arith.XOrIOp(value(a), value(b)).result


def within(a: Integer, b: Integer) -> ir.Value:
    """Whether 0 <= a < b. `b` is not negative."""
    return arith.cmpi(arith.CmpIPredicate.ult, value(a), value(b))


def below(a: Integer, b: Integer) -> ir.Value:
    """Whether a < b."""
    return arith.cmpi(arith.CmpIPredicate.slt, value(a), value(b))


def is_set(a: Integer) -> ir.Value:
    """Whether a is not 0."""
    return arith.cmpi(arith.CmpIPredicate.ne, value(a), value(0))


def either(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """`a` where the condition holds, `b` elsewhere."""
    return arith.SelectOp(condition, a, b).result


def truth() -> ir.Value:
    return integer_constant(i1(), 1)


def all_of(conditions: Sequence[ir.Value]) -> ir.Value | None:
    """Whether all hold; None if there are none."""
    return reduce(lambda a, b: arith.AndIOp(a, b).result, conditions) if conditions else None
