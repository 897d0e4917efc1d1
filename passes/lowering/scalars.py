"""The scalar arithmetic of elementwise graph ops, on `arith` and `math`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlc.bindings import arith, ir, math
from mlc.passes.lowering.linalg_tools import Scalars, constant, is_float

# The body of an op: scalars, the op (for its attributes), the result's element type -> the result.
Body = Callable[[Scalars, ir.Operation, ir.Type], ir.Value]

FLOAT_PREDICATES = {"equal": "oeq", "less": "olt", "less_equal": "ole", "greater": "ogt", "greater_equal": "oge"}
INT_PREDICATES = {"equal": "eq", "less": "slt", "less_equal": "sle", "greater": "sgt", "greater_equal": "sge"}


def compare(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """`predicate` is a key of FLOAT_PREDICATES; ordered comparison for floats, signed for integers."""
    if is_float(a.type):
        return arith.cmpf(getattr(arith.CmpFPredicate, FLOAT_PREDICATES[predicate].upper()), a, b)
    if a.type.width == 1 and predicate != "equal":
        return arith.cmpi(getattr(arith.CmpIPredicate, INT_PREDICATES[predicate].replace("s", "u", 1)), a, b)
    return arith.cmpi(getattr(arith.CmpIPredicate, INT_PREDICATES[predicate]), a, b)


def select(condition: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    return arith.select(condition, x, y)


def number(like: ir.Value, value: float) -> ir.Value:
    return constant(like.type, value)


def attribute(op: ir.Operation, name: str) -> Any:
    return op.attributes[name].value


def relu(x: ir.Value) -> ir.Value:
    """`0 > x ? 0 : x`: one max instruction, and NaN passes through."""
    zero = number(x, 0)
    return select(compare("greater", zero, x), zero, x)


def _contract() -> arith.FastMathFlags:
    """Multiplications and additions may become fused multiply-adds (exactness class "rounding")."""
    return arith.FastMathFlags.contract


def add(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.addf(a, b, fastmath=_contract()) if is_float(a.type) else arith.addi(a, b)


def sub(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.subf(a, b, fastmath=_contract()) if is_float(a.type) else arith.subi(a, b)


def mul(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.mulf(a, b, fastmath=_contract()) if is_float(a.type) else arith.muli(a, b)


def div(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.divf(a, b) if is_float(a.type) else arith.divsi(a, b)


def maximum(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.maximumf(a, b) if is_float(a.type) else arith.maxsi(a, b)


def minimum(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.minimumf(a, b) if is_float(a.type) else arith.minsi(a, b)


def negate(x: ir.Value) -> ir.Value:
    return arith.negf(x) if is_float(x.type) else arith.subi(number(x, 0), x)


def absolute(x: ir.Value) -> ir.Value:
    return math.absf(x) if is_float(x.type) else math.absi(x)


def sign(x: ir.Value) -> ir.Value:
    """-1, 0 or 1; NaN for NaN."""
    zero, one, minus = number(x, 0), number(x, 1), number(x, -1)
    not_positive = select(compare("less", x, zero), minus, x if is_float(x.type) else zero)
    return select(compare("greater", x, zero), one, not_positive)


def modulo(a: ir.Value, b: ir.Value, truncate: bool) -> ir.Value:
    """Remainder with the sign of `b` (Python), or of `a` where `truncate` (C fmod)."""
    remainder = arith.remf(a, b) if is_float(a.type) else arith.remsi(a, b)
    if truncate:
        return remainder
    zero = number(a, 0)
    negative_differs = arith.xori(compare("less", remainder, zero), compare("less", b, zero))
    not_zero = arith.xori(compare("equal", remainder, zero), constant(ir.IntegerType.get_signless(1), 1))
    return select(arith.andi(negative_differs, not_zero), add(remainder, b), remainder)


def power(a: ir.Value, b: ir.Value) -> ir.Value:
    if is_float(a.type):
        return math.powf(a, b if is_float(b.type) else arith.sitofp(a.type, b))
    if is_float(b.type):
        return arith.fptosi(a.type, math.powf(arith.sitofp(b.type, a), b))
    return math.ipowi(a, b)


def sigmoid(x: ir.Value) -> ir.Value:
    one = number(x, 1)
    return arith.divf(one, arith.addf(one, math.exp(arith.negf(x))))


def softplus(x: ir.Value) -> ir.Value:
    """`max(x, 0) + log1p(exp(-|x|))`: no overflow."""
    return arith.addf(relu(x), math.log1p(math.exp(arith.negf(math.absf(x)))))


def gelu(x: ir.Value, approximate: str) -> ir.Value:
    half, one = number(x, 0.5), number(x, 1)
    if approximate == "tanh":
        cube = mul(mul(x, x), x)
        inner = mul(number(x, 0.7978845608028654), add(x, mul(number(x, 0.044715), cube)))
        return mul(mul(half, x), add(one, math.tanh(inner)))
    return mul(mul(half, x), add(one, math.erf(mul(x, number(x, 0.7071067811865476)))))


def exponential_unit(x: ir.Value, alpha: float) -> ir.Value:
    """`x` where positive, else `alpha * (exp(x) - 1)`."""
    negative = mul(number(x, alpha), sub(math.exp(x), number(x, 1)))
    return select(compare("greater", x, number(x, 0)), x, negative)


def hard_sigmoid(x: ir.Value, alpha: float, beta: float) -> ir.Value:
    line = add(mul(number(x, alpha), x), number(x, beta))
    return maximum(number(x, 0), minimum(number(x, 1), line))


def clamp(x: ir.Value, low: float, high: float) -> ir.Value:
    """Comparisons instead of min and max: NaN passes through at the price of one instruction each."""
    low_, high_ = number(x, low), number(x, high)
    above = select(compare("greater", low_, x), low_, x)
    return select(compare("less", high_, above), high_, above)


def convert(x: ir.Value, target: ir.Type) -> ir.Value:  # noqa: PLR0911
    """ONNX's Cast between floats, signed integers and booleans."""
    source = x.type
    if source == target:
        return x
    if is_float(source) and is_float(target):
        return arith.extf(target, x) if target.width > source.width else arith.truncf(target, x)
    if not is_float(source) and not is_float(target):
        return _convert_integer(x, target)
    if is_float(target):
        return arith.uitofp(target, x) if source.width == 1 else arith.sitofp(target, x)
    if target.width == 1:
        return arith.cmpf(arith.CmpFPredicate.UNE, x, constant(source, 0))
    return arith.fptosi(target, x)


def _convert_integer(x: ir.Value, target: ir.Type) -> ir.Value:
    if target.width == 1:
        return arith.cmpi(arith.CmpIPredicate.ne, x, constant(x.type, 0))
    if target.width < x.type.width:
        return arith.trunci(target, x)
    return arith.extui(target, x) if x.type.width == 1 else arith.extsi(target, x)


def _unary(function: Callable[[ir.Value], ir.Value]) -> Body:
    return lambda scalars, _op, _kind: function(scalars[0])


def _binary(function: Callable[[ir.Value, ir.Value], ir.Value]) -> Body:
    return lambda scalars, _op, _kind: function(scalars[0], scalars[1])


def _comparison(predicate: str) -> Body:
    return lambda scalars, _op, _kind: compare(predicate, scalars[0], scalars[1])


def _invert(x: ir.Value) -> ir.Value:
    return arith.xori(x, number(x, 1 if x.type.width == 1 else -1))


def _is_infinite(x: ir.Value) -> ir.Value:
    return compare("equal", math.absf(x), number(x, float("inf")))


def _scaled(x: ir.Value, gate: ir.Value) -> ir.Value:
    return mul(x, gate)


BODIES: dict[str, Body] = {
    "abs": _unary(absolute),
    "neg": _unary(negate),
    "exp": _unary(lambda x: math.exp(x)),
    "log": _unary(lambda x: math.log(x)),
    "sqrt": _unary(lambda x: math.sqrt(x)),
    "rsqrt": _unary(lambda x: arith.divf(number(x, 1), math.sqrt(x))),
    "reciprocal": _unary(lambda x: arith.divf(number(x, 1), x)),
    "floor": _unary(lambda x: math.floor(x)),
    "ceil": _unary(lambda x: math.ceil(x)),
    "round": _unary(lambda x: math.roundeven(x)),
    "sign": _unary(sign),
    "erf": _unary(lambda x: math.erf(x)),
    "sigmoid": _unary(sigmoid),
    "relu": _unary(relu),
    "gelu": lambda s, op, _kind: gelu(s[0], attribute(op, "approximate")),
    "silu": _unary(lambda x: _scaled(x, sigmoid(x))),
    "mish": _unary(lambda x: _scaled(x, math.tanh(softplus(x)))),
    "softplus": _unary(softplus),
    "softsign": _unary(lambda x: arith.divf(x, add(number(x, 1), math.absf(x)))),
    "hard_swish": _unary(lambda x: _scaled(x, hard_sigmoid(x, 1 / 6, 0.5))),
    "hard_sigmoid": lambda s, op, _kind: hard_sigmoid(s[0], attribute(op, "alpha"), attribute(op, "beta")),
    "leaky_relu": lambda s, op, _kind: select(
        compare("less", s[0], number(s[0], 0)), mul(s[0], number(s[0], attribute(op, "alpha"))), s[0]
    ),
    "elu": lambda s, op, _kind: exponential_unit(s[0], attribute(op, "alpha")),
    "selu": lambda s, op, _kind: mul(
        number(s[0], attribute(op, "gamma")), exponential_unit(s[0], attribute(op, "alpha"))
    ),
    "celu": lambda s, op, _kind: add(
        relu(s[0]),
        minimum(
            number(s[0], 0),
            mul(
                number(s[0], attribute(op, "alpha")),
                sub(math.exp(arith.divf(s[0], number(s[0], attribute(op, "alpha")))), number(s[0], 1)),
            ),
        ),
    ),
    "thresholded_relu": lambda s, op, _kind: select(
        compare("greater", s[0], number(s[0], attribute(op, "alpha"))), s[0], number(s[0], 0)
    ),
    "clamp": lambda s, op, _kind: clamp(s[0], attribute(op, "min"), attribute(op, "max")),
    "not": _unary(_invert),
    "bitwise_not": _unary(_invert),
    "is_nan": _unary(lambda x: arith.cmpf(arith.CmpFPredicate.UNO, x, x)),
    "is_inf": _unary(_is_infinite),
    "cast": lambda s, _op, kind: convert(s[0], kind),
    "identity": _unary(lambda x: x),
    "add": _binary(add),
    "sub": _binary(sub),
    "mul": _binary(mul),
    "div": _binary(div),
    "pow": _binary(power),
    "min": _binary(minimum),
    "max": _binary(maximum),
    "mod": lambda s, op, _kind: modulo(s[0], s[1], bool(attribute(op, "fmod"))),
    "prelu": _binary(lambda x, slope: select(compare("less", x, number(x, 0)), mul(x, slope), x)),
    "and": _binary(lambda a, b: arith.andi(a, b)),
    "or": _binary(lambda a, b: arith.ori(a, b)),
    "xor": _binary(lambda a, b: arith.xori(a, b)),
    "bitwise_and": _binary(lambda a, b: arith.andi(a, b)),
    "bitwise_or": _binary(lambda a, b: arith.ori(a, b)),
    "bitwise_xor": _binary(lambda a, b: arith.xori(a, b)),
    "shift_left": _binary(lambda a, b: arith.shli(a, b)),
    "shift_right": _binary(lambda a, b: arith.shrui(a, b)),
    "where": lambda s, _op, _kind: select(s[0], s[1], s[2]),
    **{name: _comparison(name) for name in FLOAT_PREDICATES},
    **{
        name: (lambda function: _unary(lambda x: function(x)))(getattr(math, name))
        for name in "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split()
    },
}
