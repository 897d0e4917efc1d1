"""32-bit integers in a thread's code: Python's where they are static, values of the IR otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TypeAlias

from mlc.bindings import arith, ir
from mlc.passes.common.constants import i1, i32, integer_constant

Integer: TypeAlias = "int | ir.Value"


def value(integer: Integer) -> ir.Value:
    """Returns an integer as a value of the IR."""
    if isinstance(integer, ir.Value):
        return integer
    return integer_constant(i32(), integer)


def add(a: Integer, b: Integer) -> Integer:
    """Returns a + b."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return arith.AddIOp(value(a), value(b)).result


def total(terms: Sequence[Integer]) -> Integer:
    """Returns the sum; static terms are added last, so that addresses differ by constants."""
    static = sum(term for term in terms if isinstance(term, int))
    result: Integer = 0
    for term in terms:
        if not isinstance(term, int):
            result = add(result, term)
    return add(result, static)


def multiply(a: Integer, b: Integer) -> Integer:
    """Returns a * b."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    if 1 in (a, b):
        return b if a == 1 else a
    return arith.MulIOp(value(a), value(b)).result


def shift_right(a: Integer, count: int) -> Integer:
    """Returns a >> count, without sign."""
    if isinstance(a, int):
        return a >> count
    return a if count == 0 else arith.ShRUIOp(a, value(count)).result


def mask(a: Integer, ones: int) -> Integer:
    """Returns a & ones."""
    return a & ones if isinstance(a, int) else arith.AndIOp(a, value(ones)).result


def exclusive_or(a: Integer, b: Integer) -> Integer:
    """Returns a ^ b."""
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
    """Returns `a` if the condition holds, else `b`."""
    return arith.SelectOp(condition, a, b).result


def truth() -> ir.Value:
    """Returns the constant true."""
    return integer_constant(i1(), 1)


def all_of(conditions: Sequence[ir.Value]) -> ir.Value | None:
    """Returns whether all conditions hold; None if there are none."""
    return reduce(lambda a, b: arith.AndIOp(a, b).result, conditions) if conditions else None
