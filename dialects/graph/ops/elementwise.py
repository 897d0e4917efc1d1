"""Elementwise arithmetic, functions, logic and comparisons: one line each, made by `unary` and `binary`."""

from __future__ import annotations

from mlc.dialects.graph.elements import ANY, BOOL, COMPARED, FLOAT, INTEGER, NUMERIC, ElementClass
from mlc.dialects.graph.shape_rules import broadcast, check_representable, like_first
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    ShapeFunction,
    define,
    define_family,
)

FAMILY = define_family(
    "elementwise",
    "One result element per operand element. Ops of several operands broadcast as NumPy does; a dim that "
    "is not known against 1 stays unknown, against another dim it takes that dim.",
)


def _predicate(call: OpCall) -> GraphTensor:
    return GraphTensor(call.x.shape, "i1")


def _clamp(call: OpCall) -> GraphTensor:
    """Returns x's type; bounds of integers must be in the type's range, those of floats need not."""
    bounds = {name: call[name] for name in ("min", "max") if call[name] is not None}
    for name, bound in bounds.items() if INTEGER.admits(call.x.element) else ():
        check_representable(name, bound, call.x)
    return call.x


def _broadcast(call: OpCall) -> GraphTensor:
    return GraphTensor(broadcast(a=call.a.shape, b=call.b.shape), call.a.element)


def _comparison(call: OpCall) -> GraphTensor:
    return GraphTensor(broadcast(a=call.a.shape, b=call.b.shape), "i1")


def _mod(call: OpCall) -> GraphTensor:
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
    shapes: str = "The result has x's shape and element type.",
) -> None:
    """Defines an op of one operand `x`; the result has x's type unless `infer` and `shapes` are given."""
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), (OperandSpec("x", elements),), infer, attributes))


def binary(
    name: str,
    summary: str,
    onnx: str,
    *,
    elements: ElementClass = NUMERIC,
    attributes: tuple[Attribute, ...] = (),
    infer: ShapeFunction = _broadcast,
) -> None:
    """Defines an op of operands `a` and `b` of one element type, the result's too unless `infer` is given."""
    operands = (OperandSpec("a", elements), OperandSpec("b", elements, like="a"))
    shapes = "a and b broadcast to the result." + (" Its elements are i1." if infer is _comparison else "")
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer, attributes))


unary("abs", "`|x|`", "Abs", elements=NUMERIC)
unary("neg", "`-x`", "Neg", elements=NUMERIC)
unary("exp", "`e^x`", "Exp")
unary("log", "natural logarithm", "Log")
unary("sqrt", "square root", "Sqrt")
unary("rsqrt", "`1 / sqrt(x)`", "Reciprocal of Sqrt")
unary("reciprocal", "`1 / x`", "Reciprocal")
unary("floor", "round towards minus infinity", "Floor")
unary("ceil", "round towards plus infinity", "Ceil")
unary("round", "round to the nearest integer, halves to even", "Round")
unary("sign", "-1, 0 or 1", "Sign", elements=NUMERIC)
unary("erf", "error function", "Erf", elements=NUMERIC)
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
unary(
    "clamp",
    "`min(max(x, min), max)`; an absent bound does not limit",
    "Clip",
    elements=NUMERIC,
    attributes=(
        Attribute("min", "scalar", "lower bound", None),
        Attribute("max", "scalar", "upper bound", None),
    ),
    infer=_clamp,
)
unary("not", "logical negation", "Not", elements=BOOL)
unary("bitwise_not", "complement of every bit", "BitwiseNot", elements=INTEGER)
_LOGICAL = "The result has x's shape and elements i1."
unary("is_nan", "whether x is NaN", "IsNaN", infer=_predicate, shapes=_LOGICAL)
unary(
    "is_inf",
    "whether x is infinite",
    "IsInf",
    attributes=(
        Attribute("detect_negative", "bool", "count minus infinity", True),
        Attribute("detect_positive", "bool", "count plus infinity", True),
    ),
    infer=_predicate,
    shapes=_LOGICAL,
)
unary("identity", "x itself", "Identity", elements=ANY)

binary("add", "`a + b`", "Add, Sum")
binary("sub", "`a - b`", "Sub")
binary("mul", "`a * b`", "Mul")
binary("div", "`a / b`; integers truncate towards zero, and give 0 for a divisor of 0", "Div")
binary("pow", "`a ^ b`", "Pow")
binary("min", "the smaller; NaN where either is NaN", "Min")
binary("max", "the larger; NaN where either is NaN", "Max")
binary(
    "mod",
    "remainder with the divisor's sign, or the dividend's (C's fmod); 0 for an integer divisor of 0",
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


def _where(call: OpCall) -> GraphTensor:
    shape = broadcast(condition=call.condition.shape, x=call.x.shape, y=call.y.shape)
    return GraphTensor(shape, call.x.element)


define(
    OpSpec(
        "where",
        FAMILY,
        "x where the condition holds, else y",
        "condition (i1), x and y broadcast to the result, which has x's element type.",
        ("Where",),
        (OperandSpec("condition", BOOL), OperandSpec("x"), OperandSpec("y", like="x")),
        _where,
    )
)
