"""Elementwise graph ops: one `linalg.generic` each; upstream's elementwise fusion merges them later."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, math
from mlc.bindings import complex as complex_dialect
from mlc.dialects import graph
from mlc.passes.common.constants import i1
from mlc.passes.common.linalg_builders import Scalars, constant, elementwise, tensor_type
from mlc.passes.lowering.common.activations import (
    exponential_unit,
    gelu,
    hard_sigmoid,
    mish,
    relu,
    sigmoid,
    silu,
    softplus,
)
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import (
    FLOAT_PREDICATES,
    absolute,
    add,
    clamp,
    compare,
    constant_like,
    div,
    maximum,
    minimum,
    modulo,
    mul,
    negate,
    power,
    select,
    shift_right,
    sign,
    sub,
)

# The body of an op: scalars, the op (for its attributes), the result's element type -> the result.
Body = Callable[[Scalars, ir.Operation, ir.Type], ir.Value]


def _unary(function: Callable[[ir.Value], ir.Value]) -> Body:
    return lambda scalars, _op, _type: function(scalars[0])


def _binary(function: Callable[[ir.Value, ir.Value], ir.Value]) -> Body:
    return lambda scalars, _op, _type: function(scalars[0], scalars[1])


def _comparison(predicate: str) -> Body:
    return lambda scalars, _op, _type: compare(predicate, scalars[0], scalars[1])


def _invert(x: ir.Value) -> ir.Value:
    return arith.xori(x, constant_like(x, 1 if x.type.width == 1 else -1))


def _is_infinite(x: ir.Value, negative: bool, positive: bool) -> ir.Value:
    if negative and positive:
        x = math.absf(x)
    elif not positive and not negative:
        return constant(i1(), False)
    infinity = float("inf") if positive else float("-inf")
    return compare("equal", x, constant_like(x, infinity))


def _cast(x: ir.Value, op: ir.Operation, target: ir.Type) -> ir.Value:
    cast = graph.Cast(op)
    return convert(x, target, cast.saturate, cast.round_mode or "up")


BODIES: dict[str, Body] = {
    "abs": _unary(absolute),
    "neg": _unary(negate),
    "exp": _unary(lambda x: math.exp(x)),
    "log": _unary(lambda x: math.log(x)),
    "sqrt": _unary(lambda x: math.sqrt(x)),
    "rsqrt": _unary(lambda x: arith.divf(constant_like(x, 1), math.sqrt(x))),
    "reciprocal": _unary(lambda x: arith.divf(constant_like(x, 1), x)),
    "floor": _unary(lambda x: math.floor(x)),
    "ceil": _unary(lambda x: math.ceil(x)),
    "round": _unary(lambda x: math.roundeven(x)),
    "sign": _unary(sign),
    "erf": _unary(lambda x: math.erf(x)),
    "sigmoid": _unary(sigmoid),
    "relu": _unary(relu),
    "gelu": lambda s, op, _type: gelu(s[0], graph.Gelu(op).approximate),
    "silu": _unary(silu),
    "mish": _unary(mish),
    "softplus": _unary(softplus),
    "softsign": _unary(lambda x: arith.divf(x, add(constant_like(x, 1), math.absf(x)))),
    "hard_swish": _unary(lambda x: mul(x, hard_sigmoid(x, 1 / 6, 0.5))),
    "hard_sigmoid": lambda s, op, _type: hard_sigmoid(
        s[0], graph.HardSigmoid(op).alpha, graph.HardSigmoid(op).beta
    ),
    "leaky_relu": lambda s, op, _type: select(
        compare("less", s[0], constant_like(s[0], 0)),
        mul(s[0], constant_like(s[0], graph.LeakyRelu(op).alpha)),
        s[0],
    ),
    "elu": lambda s, op, _type: exponential_unit(s[0], graph.Elu(op).alpha),
    "selu": lambda s, op, _type: mul(
        constant_like(s[0], graph.Selu(op).gamma), exponential_unit(s[0], graph.Selu(op).alpha)
    ),
    "celu": lambda s, op, _type: add(
        relu(s[0]),
        minimum(
            constant_like(s[0], 0),
            mul(
                constant_like(s[0], graph.Celu(op).alpha),
                math.expm1(arith.divf(s[0], constant_like(s[0], graph.Celu(op).alpha))),
            ),
        ),
    ),
    "thresholded_relu": lambda s, op, _type: select(
        compare("greater", s[0], constant_like(s[0], graph.ThresholdedRelu(op).alpha)),
        s[0],
        constant_like(s[0], 0),
    ),
    "clamp": lambda s, op, _type: clamp(s[0], graph.Clamp(op).min, graph.Clamp(op).max),
    "not": _unary(_invert),
    "bitwise_not": _unary(_invert),
    "is_nan": _unary(lambda x: arith.cmpf(arith.CmpFPredicate.UNO, x, x)),
    "is_inf": lambda s, op, _type: _is_infinite(
        s[0], graph.IsInf(op).detect_negative, graph.IsInf(op).detect_positive
    ),
    "cast": lambda s, op, target: _cast(s[0], op, target),
    "bitcast": lambda s, _op, result: arith.bitcast(result, s[0]),
    "real": _unary(lambda x: complex_dialect.re(x)),
    "imag": _unary(lambda x: complex_dialect.im(x)),
    "complex": lambda s, _op, result: complex_dialect.create_(result, s[0], s[1]),
    "identity": _unary(lambda x: x),
    "add": _binary(add),
    "sub": _binary(sub),
    "mul": _binary(mul),
    "div": _binary(div),
    "pow": _binary(power),
    "min": _binary(minimum),
    "max": _binary(maximum),
    "mod": lambda s, op, _type: modulo(s[0], s[1], graph.Mod(op).fmod),
    "prelu": _binary(lambda x, slope: select(compare("less", x, constant_like(x, 0)), mul(x, slope), x)),
    "and": _binary(lambda a, b: arith.andi(a, b)),
    "or": _binary(lambda a, b: arith.ori(a, b)),
    "xor": _binary(lambda a, b: arith.xori(a, b)),
    "bitwise_and": _binary(lambda a, b: arith.andi(a, b)),
    "bitwise_or": _binary(lambda a, b: arith.ori(a, b)),
    "bitwise_xor": _binary(lambda a, b: arith.xori(a, b)),
    "shift_left": _binary(lambda a, b: arith.shli(a, b)),
    "shift_right": _binary(shift_right),
    "where": lambda s, _op, _type: select(s[0], s[1], s[2]),
    **{name: _comparison(name) for name in FLOAT_PREDICATES},
    **{
        name: _unary(getattr(math, name))
        for name in [
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
        ]
    },
}


@rule(*BODIES)
def lower_elementwise(op: ir.Operation) -> list[ir.Value]:
    """Lowers an elementwise graph op to one `linalg.generic` that broadcasts its operands."""
    body = BODIES[op.name.removeprefix("graph.")]
    (result,) = op.results
    element = tensor_type(result).element_type
    return [elementwise(list(op.operands), result, lambda scalars: body(scalars, op, element))]
