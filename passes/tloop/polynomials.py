"""f32 exp, log, log1p, tanh and erf by range reduction and polynomials, on scalars or vectors.

Coefficients, lowest degree first, are minimax fits made by tools/fit_polynomials.py. The range reductions
follow Cody and Waite, "Software Manual for the Elementary Functions" (1980). All propagate NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, math

EXP = (0.500000003, 0.16666577, 0.0416663752, 0.00836317981, 0.00139411213)
LOG = (
    0.333333313,
    -0.249999812,
    0.200006881,
    -0.16669151,
    0.142511556,
    -0.123967004,
    0.116346626,
    -0.116599293,
    0.0733252929,
)
TANH = (-0.333333292, 0.133327945, -0.05385407, 0.0210100823, -0.00611319256)
ERF_NUMERATOR = (
    1.12837917,
    0.185135215,
    0.0542440046,
    0.00383862336,
    0.000376760211,
    4.6092694e-06,
    -1.27999762e-08,
)
ERF_DENOMINATOR = (1.0, 0.497405219, 0.113873757, 0.0154300541, 0.0013015267, 6.23995106e-05)

# ln 2 as a sum whose first part has so few bits that its product with an exponent is exact.
LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440e-4
# Adding 1.5 * 2^23 rounds a small float to an integer, which then stands in the low bits.
ROUNDING = 12582912.0
SMALLEST_NORMAL = 1.1754943508222875e-38


def _element(kind: ir.Type) -> ir.Type:
    return ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind


def is_f32(kind: ir.Type) -> bool:
    """Whether `kind` is f32 or a vector of it."""
    return isinstance(_element(kind), ir.F32Type)


def _with_element(kind: ir.Type, element: ir.Type) -> ir.Type:
    return (
        ir.VectorType.get(ir.VectorType(kind).shape, element) if isinstance(kind, ir.VectorType) else element
    )


def _attribute(element: ir.Type, value: float) -> ir.Attribute:
    return (
        ir.FloatAttr.get(element, value)
        if isinstance(element, ir.FloatType)
        else ir.IntegerAttr.get(element, int(value))
    )


def _constant(kind: ir.Type, value: float) -> ir.Value:
    attribute = _attribute(_element(kind), value)
    if isinstance(kind, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(kind, attribute)
    return arith.ConstantOp(kind, attribute).result


def _integers(kind: ir.Type) -> ir.Type:
    return _with_element(kind, ir.IntegerType.get_signless(32))


def _multiply_add(a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
    """a * b + c, one instruction where the machine has it."""
    flag = arith.FastMathFlags.contract
    return arith.addf(arith.mulf(a, b, fastmath=flag), c, fastmath=flag)


def _horner(x: ir.Value, coefficients: Sequence[float]) -> ir.Value:
    result = _constant(x.type, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = _multiply_add(result, x, _constant(x.type, coefficient))
    return result


def _compare(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.cmpf(getattr(arith.CmpFPredicate, predicate), a, b)


def _bits(x: ir.Value) -> ir.Value:
    return arith.bitcast(_integers(x.type), x)


def _power_of_two(exponent: ir.Value, kind: ir.Type) -> ir.Value:
    """2 ** exponent for integers in [-126, 127]."""
    biased = arith.addi(exponent, _constant(exponent.type, 127))
    return arith.bitcast(kind, arith.shli(biased, _constant(exponent.type, 23)))


def exp(x: ir.Value) -> ir.Value:
    """exp(x) = 2^n * exp(r) with n = round(x / ln 2). Error below 1 ulp; subnormal results included."""
    kind = x.type
    low, high = _constant(kind, -104.0), _constant(kind, 88.8)
    clamped = arith.select(_compare("OLT", x, low), low, x)
    clamped = arith.select(_compare("OGT", clamped, high), high, clamped)
    shifted = _multiply_add(clamped, _constant(kind, 1.4426950408889634), _constant(kind, ROUNDING))
    n = arith.subi(_bits(shifted), _bits(_constant(kind, ROUNDING)))
    count = arith.subf(shifted, _constant(kind, ROUNDING))
    high_part = _multiply_add(count, _constant(kind, -LN2_HIGH), clamped)
    r = _multiply_add(count, _constant(kind, -LN2_LOW), high_part)
    # The high part is exact; r, which is rounded, serves the small terms only.
    tail = arith.mulf(arith.mulf(r, r), _horner(r, EXP))
    tail = _multiply_add(count, _constant(kind, -LN2_LOW), tail)
    value = arith.addf(arith.addf(high_part, tail), _constant(kind, 1.0))
    # Two factors, because 2^n itself may be out of range where the result is not.
    half = arith.shrsi(n, _constant(n.type, 1))
    scaled = arith.mulf(value, _power_of_two(half, kind))
    return arith.mulf(scaled, _power_of_two(arith.subi(n, half), kind))


def log(x: ir.Value) -> ir.Value:
    """log(x) = e ln 2 + log(1 + f) with x = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)). Error below 1 ulp."""
    kind = x.type
    subnormal = _compare("OLT", x, _constant(kind, SMALLEST_NORMAL))
    normal = arith.select(subnormal, arith.mulf(x, _constant(kind, 8388608.0)), x)
    offset = arith.select(subnormal, _constant(kind, -23.0), _constant(kind, 0.0))
    bits = _bits(normal)
    above = arith.subi(bits, _constant(bits.type, 0x3F3504F3))
    exponent = arith.shrsi(above, _constant(bits.type, 23))
    mantissa = arith.subi(bits, arith.shli(exponent, _constant(bits.type, 23)))
    f = arith.subf(arith.bitcast(kind, mantissa), _constant(kind, 1.0))
    count = arith.addf(arith.sitofp(kind, exponent), offset)
    square = arith.mulf(f, f)
    tail = _multiply_add(arith.mulf(square, f), _horner(f, LOG), arith.mulf(count, _constant(kind, LN2_LOW)))
    tail = _multiply_add(square, _constant(kind, -0.5), tail)
    result = _multiply_add(count, _constant(kind, LN2_HIGH), arith.addf(f, tail))
    return _log_special_cases(x, result)


def _log_special_cases(x: ir.Value, result: ir.Value) -> ir.Value:
    """-inf at 0, NaN below it, inf at inf, NaN at NaN."""
    kind = x.type
    zero, infinity = _constant(kind, 0.0), _constant(kind, float("inf"))
    result = arith.select(_compare("OEQ", x, zero), _constant(kind, float("-inf")), result)
    result = arith.select(_compare("OEQ", x, infinity), infinity, result)
    return arith.select(_compare("UGE", x, zero), _keep_nan(x, result), _constant(kind, float("nan")))


def _keep_nan(x: ir.Value, result: ir.Value) -> ir.Value:
    return arith.select(_compare("UNO", x, x), x, result)


def log1p(x: ir.Value) -> ir.Value:
    """log(1 + x) * x / ((1 + x) - 1): the quotient undoes the rounding of 1 + x (Kahan).

    Error below 2.5 ulp.
    """
    kind = x.type
    one = _constant(kind, 1.0)
    u = arith.addf(x, one)
    exact = _compare("OEQ", u, one)
    rounded = arith.select(exact, one, arith.subf(u, one))
    corrected = arith.mulf(log(u), arith.divf(x, rounded))
    corrected = arith.select(_compare("OEQ", u, _constant(kind, float("inf"))), u, corrected)
    corrected = arith.select(
        _compare("OEQ", u, _constant(kind, 0.0)), _constant(kind, float("-inf")), corrected
    )
    return arith.select(exact, x, corrected)


def tanh(x: ir.Value) -> ir.Value:
    """Odd polynomial near 0, 1 - 2 / (exp(2 |x|) + 1) elsewhere. Error below 1.5 ulp."""
    kind = x.type
    magnitude = math.absf(x)
    square = arith.mulf(x, x)
    near = _multiply_add(arith.mulf(square, magnitude), _horner(square, TANH), magnitude)
    power = exp(arith.addf(magnitude, magnitude))
    one = _constant(kind, 1.0)
    far = arith.subf(one, arith.divf(_constant(kind, 2.0), arith.addf(power, one)))
    return math.copysign(arith.select(_compare("OLT", magnitude, _constant(kind, 0.625)), near, far), x)


def erf(x: ir.Value) -> ir.Value:
    """x P(x^2) / Q(x^2) on [-3.92, 3.92], 1 beyond (exact in f32). Error below 6.5 ulp."""
    kind = x.type
    bound = _constant(kind, 3.92)
    low = _constant(kind, -3.92)
    clamped = arith.select(_compare("OLT", x, low), low, x)
    clamped = arith.select(_compare("OGT", clamped, bound), bound, clamped)
    square = arith.mulf(clamped, clamped)
    ratio = arith.divf(_horner(square, ERF_NUMERATOR), _horner(square, ERF_DENOMINATOR))
    value = arith.mulf(clamped, ratio)
    one = _constant(kind, 1.0)
    beyond = _compare("OGE", math.absf(x), bound)
    return arith.select(beyond, math.copysign(one, x), value)
