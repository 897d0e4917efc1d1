"""The scalar arithmetic of graph ops, on `arith` and `math`.

Integers keep their signedness in their types while a kernel is lowered (`ui8`, or `i8` for signed), which
chooses the op; `drop_signedness` takes it away at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, math
from mlc.passes.common.constants import i1
from mlc.passes.common.linalg_builders import constant, is_float, is_unsigned
from mlc.passes.lowering.common.conversions import convert

FLOAT_PREDICATES = {
    "equal": "oeq",
    "less": "olt",
    "less_equal": "ole",
    "greater": "ogt",
    "greater_equal": "oge",
}
INT_PREDICATES = {"equal": "eq", "less": "slt", "less_equal": "sle", "greater": "sgt", "greater_equal": "sge"}


def compare(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """Compares two scalars by `predicate`, a key of FLOAT_PREDICATES; floats in order: NaN gives false."""
    if is_float(a.type):
        return arith.cmpf(getattr(arith.CmpFPredicate, FLOAT_PREDICATES[predicate].upper()), a, b)
    name = INT_PREDICATES[predicate]
    if (is_unsigned(a.type) or a.type.width == 1) and predicate != "equal":
        name = name.replace("s", "u", 1)
    return arith.cmpi(getattr(arith.CmpIPredicate, name), a, b)


def select(condition: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    """`x` where `condition` holds, else `y`."""
    return arith.select(condition, x, y)


def constant_like(like: ir.Value, value: float) -> ir.Value:
    """The constant `value` in the type of `like`."""
    return constant(like.type, value)


def _contract() -> arith.FastMathFlags:
    """Multiplications and additions may become fused multiply-adds (exactness class "rounding")."""
    return arith.FastMathFlags.contract


def add(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a + b`."""
    return arith.addf(a, b, fastmath=_contract()) if is_float(a.type) else arith.addi(a, b)


def sub(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a - b`."""
    return arith.subf(a, b, fastmath=_contract()) if is_float(a.type) else arith.subi(a, b)


def mul(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a * b`."""
    return arith.mulf(a, b, fastmath=_contract()) if is_float(a.type) else arith.muli(a, b)


def div(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a / b`; of integers rounded towards 0, and 0 where `b` is 0."""
    if is_float(a.type):
        return arith.divf(a, b)
    quotient = arith.divui if is_unsigned(a.type) else arith.divsi
    return _where_defined(a, b, lambda divisor: quotient(a, divisor))


def _where_defined(a: ir.Value, b: ir.Value, divide: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """`divide(b)` for integers, but 0 where `b` is 0: the machine's division would stop the process. So would
    that of the lowest integer by -1; divided by 1 it has the same, wrapped, result."""
    zero, one = constant_like(b, 0), constant_like(b, 1)
    by_zero = compare("equal", b, zero)
    unsafe = by_zero
    if not is_unsigned(a.type):
        lowest = compare("equal", a, constant_like(a, -(1 << (a.type.width - 1))))
        unsafe = arith.ori(by_zero, arith.andi(lowest, compare("equal", b, constant_like(b, -1))))
    return select(by_zero, zero, divide(select(unsafe, one, b)))


def maximum(a: ir.Value, b: ir.Value) -> ir.Value:
    """The larger value; NaN where either is NaN."""
    if is_float(a.type):
        return arith.maximumf(a, b)
    return arith.maxui(a, b) if is_unsigned(a.type) or a.type.width == 1 else arith.maxsi(a, b)


def maximum_step(a: ir.Value, b: ir.Value) -> ir.Value:
    """The larger value in a reduction: zeros are equal, whatever their signs, as for x86's instruction."""
    return arith.maximumf(a, b, fastmath=arith.FastMathFlags.nsz) if is_float(a.type) else maximum(a, b)


def minimum_step(a: ir.Value, b: ir.Value) -> ir.Value:
    """The smaller value in a reduction, with zeros as in `maximum_step`."""
    return arith.minimumf(a, b, fastmath=arith.FastMathFlags.nsz) if is_float(a.type) else minimum(a, b)


def minimum(a: ir.Value, b: ir.Value) -> ir.Value:
    """The smaller value; NaN where either is NaN."""
    if is_float(a.type):
        return arith.minimumf(a, b)
    return arith.minui(a, b) if is_unsigned(a.type) or a.type.width == 1 else arith.minsi(a, b)


def negate(x: ir.Value) -> ir.Value:
    """`-x`."""
    return arith.negf(x) if is_float(x.type) else arith.subi(constant_like(x, 0), x)


def absolute(x: ir.Value) -> ir.Value:
    """`|x|`."""
    if is_unsigned(x.type):
        return x
    return math.absf(x) if is_float(x.type) else math.absi(x)


def sign(x: ir.Value) -> ir.Value:
    """The sign of `x` as -1, 0 or 1; NaN for NaN."""
    zero, one = constant_like(x, 0), constant_like(x, 1)
    if is_unsigned(x.type):
        return select(compare("greater", x, zero), one, zero)
    minus = constant_like(x, -1)
    not_positive = select(compare("less", x, zero), minus, x if is_float(x.type) else zero)
    return select(compare("greater", x, zero), one, not_positive)


def modulo(a: ir.Value, b: ir.Value, truncate: bool) -> ir.Value:
    """Remainder with the sign of `b` (Python), or of `a` where `truncate` (C fmod)."""
    if is_unsigned(a.type):
        return _where_defined(a, b, lambda divisor: arith.remui(a, divisor))
    if is_float(a.type):
        remainder = arith.remf(a, b)
    else:
        remainder = _where_defined(a, b, lambda divisor: arith.remsi(a, divisor))
    if truncate:
        return remainder
    zero = constant_like(a, 0)
    negative_differs = arith.xori(compare("less", remainder, zero), compare("less", b, zero))
    not_zero = arith.xori(compare("equal", remainder, zero), constant(i1(), 1))
    return select(arith.andi(negative_differs, not_zero), add(remainder, b), remainder)


def power(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a ** b`, in floats if either is one, in the type of `a`."""
    if is_float(a.type):
        return math.powf(a, convert(b, a.type))
    if is_float(b.type):
        return convert(math.powf(convert(a, b.type), b), a.type)
    return _integer_power(a, convert(b, a.type))


def _integer_power(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a ** b` modulo the width, by squaring, a step per bit of `b`. Negative powers are 0, but of 1 and -1.

    Upstream lowers `math.ipowi` only to a function with a loop, which does not vectorise.
    """
    zero, one = constant_like(b, 0), constant_like(b, 1)
    result, square = one, a
    for bit in range(b.type.width):
        odd = compare("equal", arith.andi(arith.shrui(b, constant_like(b, bit)), one), one)
        result = select(odd, mul(result, square), result)
        square = mul(square, square)
    if is_unsigned(a.type):
        return result
    unit = arith.ori(compare("equal", a, one), compare("equal", a, constant_like(a, -1)))
    return select(compare("less", b, zero), select(unit, result, zero), result)


def shift_right(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a / 2^b` rounded down: the sign is kept."""
    return arith.shrui(a, b) if is_unsigned(a.type) else arith.shrsi(a, b)


def clamp(x: ir.Value, low: float | None, high: float | None) -> ir.Value:
    """Limits `x` to the bounds, with comparisons: NaN passes through, and each is one instruction."""
    if low is not None:
        bound = constant_like(x, low)
        x = select(compare("greater", bound, x), bound, x)
    if high is not None:
        bound = constant_like(x, high)
        x = select(compare("less", bound, x), bound, x)
    return x
