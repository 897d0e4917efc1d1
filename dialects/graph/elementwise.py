"""Elementwise ops: one line each, made by `unary` and `binary`."""

from __future__ import annotations

from .elements import ANY, BITS, BOOL, COMPARED, FLOAT, INTEGER, NUMBER, ElementClass, element_bytes
from .rules import broadcast, check_number, like_first
from .sizes import differ
from .spec import Attribute, Call, Operand, OpSpec, ShapeError, ShapeFunction, Tensor, define, define_family

FAMILY = define_family(
    "elementwise",
    "One result element per operand element. Ops of several operands broadcast as NumPy does; a dim that "
    "is not known against 1 stays unknown, against another dim it takes that dim.",
)


def _predicate(call: Call) -> Tensor:
    return Tensor(call.x.shape, "i1")


def _clamp(call: Call) -> Tensor:
    """Integers reach their bounds; those of floats may lie beyond the type's range."""
    bounds = {name: call[name] for name in ("min", "max") if call[name] is not None}
    for name, bound in bounds.items() if INTEGER.admits(call.x.element) else ():
        check_number(name, bound, call.x)
    return call.x


def _broadcast(call: Call) -> Tensor:
    return Tensor(broadcast(a=call.a.shape, b=call.b.shape), call.a.element)


def _comparison(call: Call) -> Tensor:
    return Tensor(broadcast(a=call.a.shape, b=call.b.shape), "i1")


def _mod(call: Call) -> Tensor:
    if FLOAT.admits(call.a.element) and not call.fmod:
        raise ShapeError("fmod", f"must be true for elements {call.a.element}")
    return _broadcast(call)


def unary(
    name: str,
    summary: str,
    onnx: str,
    *,
    elements: ElementClass = FLOAT,
    attributes: tuple[Attribute, ...] = (),
    infer: ShapeFunction = like_first,
) -> None:
    """Define an op of one operand `x`; the result has x's type unless `infer` says otherwise."""
    shapes = (
        "The result has x's shape and elements i1."
        if infer is _predicate
        else "The result has x's shape and element type."
    )
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), (Operand("x", elements),), infer, attributes))


def binary(
    name: str,
    summary: str,
    onnx: str,
    *,
    elements: ElementClass = NUMBER,
    attributes: tuple[Attribute, ...] = (),
    infer: ShapeFunction = _broadcast,
) -> None:
    "Define an op of two operands `a`, `b` of one element type, which the result shares unless `infer`"
    "says otherwise."
    operands = (Operand("a", elements), Operand("b", elements, like="a"))
    shapes = "a and b broadcast to the result." + (" Its elements are i1." if infer is _comparison else "")
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer, attributes))


def _alpha(default: float) -> Attribute:
    return Attribute("alpha", "float", "slope or scale", default)


unary("abs", "`|x|`", "Abs", elements=NUMBER)
unary("neg", "`-x`", "Neg", elements=NUMBER)
unary("exp", "`e^x`", "Exp")
unary("log", "natural logarithm", "Log")
unary("sqrt", "square root", "Sqrt")
unary("rsqrt", "`1 / sqrt(x)`", "Reciprocal of Sqrt")
unary("reciprocal", "`1 / x`", "Reciprocal")
unary("floor", "round towards minus infinity", "Floor")
unary("ceil", "round towards plus infinity", "Ceil")
unary("round", "round to the nearest integer, halves to even", "Round")
unary("sign", "-1, 0 or 1", "Sign", elements=NUMBER)
unary("erf", "error function", "Erf", elements=NUMBER)
unary("sin", "sine (radians)", "Sin")
unary("cos", "cosine (radians)", "Cos")
unary("tan", "tangent (radians)", "Tan")
unary("asin", "arc sine", "Asin")
unary("acos", "arc cosine", "Acos")
unary("atan", "arc tangent", "Atan")
unary("sinh", "hyperbolic sine", "Sinh")
unary("cosh", "hyperbolic cosine", "Cosh")
unary("tanh", "hyperbolic tangent", "Tanh")
unary("asinh", "inverse hyperbolic sine", "Asinh")
unary("acosh", "inverse hyperbolic cosine", "Acosh")
unary("atanh", "inverse hyperbolic tangent", "Atanh")
unary("sigmoid", "`1 / (1 + e^-x)`", "Sigmoid")
unary("relu", "`max(x, 0)`", "Relu", elements=NUMBER)
unary(
    "gelu",
    "`x * P(X <= x)` of the standard normal; `tanh` selects the usual approximation, `sigmoid` the quick one "
    "`x * sigmoid(1.702 x)`",
    "Gelu",
    attributes=(Attribute("approximate", "str", "formula", "none", ("none", "tanh", "sigmoid")),),
)
unary("silu", "`x * sigmoid(x)`", "Swish")
unary("mish", "`x * tanh(softplus(x))`", "Mish")
unary("softplus", "`log(1 + e^x)`", "Softplus")
unary("softsign", "`x / (1 + |x|)`", "Softsign")
unary("hard_swish", "`x * max(0, min(1, x/6 + 1/2))`", "HardSwish")
unary(
    "hard_sigmoid",
    "`max(0, min(1, alpha*x + beta))`",
    "HardSigmoid",
    attributes=(_alpha(0.2), Attribute("beta", "float", "offset", 0.5)),
)
unary("leaky_relu", "`x` where `x >= 0`, else `alpha*x`", "LeakyRelu", attributes=(_alpha(0.01),))
unary("elu", "`x` where `x >= 0`, else `alpha*(e^x - 1)`", "Elu", attributes=(_alpha(1.0),))
unary(
    "selu",
    "`gamma*x` where `x > 0`, else `gamma*alpha*(e^x - 1)`",
    "Selu",
    attributes=(
        _alpha(1.67326319217681884765625),
        Attribute("gamma", "float", "outer scale", 1.05070102214813232421875),
    ),
)
unary("celu", "`max(0, x) + min(0, alpha*(e^(x/alpha) - 1))`", "Celu", attributes=(_alpha(1.0),))
unary("thresholded_relu", "`x` where `x > alpha`, else 0", "ThresholdedRelu", attributes=(_alpha(1.0),))
unary(
    "clamp",
    "`min(max(x, min), max)`; an absent bound does not limit",
    "Clip",
    elements=NUMBER,
    attributes=(
        Attribute("min", "number", "lower bound", None),
        Attribute("max", "number", "upper bound", None),
    ),
    infer=_clamp,
)
unary("not", "logical negation", "Not", elements=BOOL)
unary("bitwise_not", "complement of every bit", "BitwiseNot", elements=INTEGER)
unary("is_nan", "whether x is not a number", "IsNaN", infer=_predicate)
unary(
    "is_inf",
    "whether x is infinite",
    "IsInf",
    attributes=(
        Attribute("detect_negative", "bool", "count minus infinity", True),
        Attribute("detect_positive", "bool", "count plus infinity", True),
    ),
    infer=_predicate,
)
unary("identity", "x itself", "Identity", elements=ANY)


def _cast(call: Call) -> Tensor:
    return Tensor(call.x.shape, call.given.element)


define(
    OpSpec(
        "cast",
        FAMILY,
        "x converted to the result's element type: floats to integers truncate, anything to i1 is `x != 0`",
        "The result has x's shape; its element type is given.",
        ("Cast", "CastLike"),
        (Operand("x"),),
        _cast,
        (
            Attribute(
                "saturate", "bool", "out-of-range values become the largest one (float8 results only)", True
            ),
            Attribute(
                "round_mode",
                "str",
                "to which neighbour, `up` if absent (f8E8M0FNU results only; others round to nearest)",
                None,
                ("up", "down", "nearest"),
            ),
        ),
        result_given=True,
    )
)


def _bitcast(call: Call) -> Tensor:
    element = call.given.element
    if not BITS.admits(element):
        raise ShapeError("result", f"has elements {element}, not {BITS.name}")
    if element_bytes(element) != element_bytes(call.x.element):
        raise ShapeError("result", f"has elements {element}, which are not as wide as x's: {call.x}")
    return Tensor(call.x.shape, element)


define(
    OpSpec(
        "bitcast",
        FAMILY,
        "the bits of x as elements of another type of the same width",
        "The result has x's shape; its element type is given.",
        ("BitCast",),
        (Operand("x", BITS),),
        _bitcast,
        result_given=True,
    )
)

binary("add", "`a + b`", "Add, Sum")
binary("sub", "`a - b`", "Sub")
binary("mul", "`a * b`", "Mul")
binary("div", "`a / b`; integers truncate towards zero", "Div")
binary("pow", "`a ^ b`", "Pow")
binary("min", "the smaller; NaN where either is NaN", "Min")
binary("max", "the larger; NaN where either is NaN", "Max")
binary(
    "mod",
    "remainder with the divisor's sign, or with the dividend's sign (C's fmod)",
    "Mod",
    attributes=(Attribute("fmod", "bool", "the sign is the dividend's; must be true for floats", False),),
    infer=_mod,
)
binary("and", "logical and", "And", elements=BOOL)
binary("or", "logical or", "Or", elements=BOOL)
binary("xor", "logical exclusive or", "Xor", elements=BOOL)
binary("bitwise_and", "and of every bit", "BitwiseAnd", elements=INTEGER)
binary("bitwise_or", "or of every bit", "BitwiseOr", elements=INTEGER)
binary("bitwise_xor", "exclusive or of every bit", "BitwiseXor", elements=INTEGER)
binary("shift_left", "`a * 2^b` modulo the width", "BitShift (LEFT)", elements=INTEGER)
binary(
    "shift_right",
    "`a / 2^b`, logical for unsigned and arithmetic for signed integers",
    "BitShift (RIGHT)",
    elements=INTEGER,
)
binary("equal", "`a == b`", "Equal", elements=COMPARED, infer=_comparison)
binary("less", "`a < b`", "Less", infer=_comparison)
binary("less_equal", "`a <= b`", "LessOrEqual", infer=_comparison)
binary("greater", "`a > b`", "Greater", infer=_comparison)
binary("greater_equal", "`a >= b`", "GreaterOrEqual", infer=_comparison)


def _prelu(call: Call) -> Tensor:
    joined = broadcast(x=call.x.shape, slope=call.slope.shape)
    pairs = zip(joined, call.x.shape, strict=False)
    if len(joined) != call.x.rank or any(a is not None and b is not None and differ(a, b) for a, b in pairs):
        raise ShapeError("slope", f"does not broadcast to x: {call.slope} against {call.x}")
    return call.x


define(
    OpSpec(
        "prelu",
        FAMILY,
        "`x` where `x >= 0`, else `slope*x`",
        "slope broadcasts to x, whose type the result has.",
        ("PRelu",),
        (Operand("x", NUMBER), Operand("slope", NUMBER, like="x")),
        _prelu,
    )
)


def _where(call: Call) -> Tensor:
    shape = broadcast(condition=call.condition.shape, x=call.x.shape, y=call.y.shape)
    return Tensor(shape, call.x.element)


define(
    OpSpec(
        "where",
        FAMILY,
        "x where the condition holds, else y",
        "condition (i1), x and y broadcast to the result, which has x's element type.",
        ("Where",),
        (Operand("condition", BOOL), Operand("x"), Operand("y", like="x")),
        _where,
    )
)
