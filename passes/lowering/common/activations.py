"""Activation functions of scalar floats; `relu` of integers too."""

from __future__ import annotations

from mlc.bindings import arith, ir, math
from mlc.passes.lowering.common.scalars import (
    add,
    clamp,
    compare,
    constant_like,
    maximum,
    minimum,
    mul,
    select,
)


def relu(x: ir.Value) -> ir.Value:
    """`0 > x ? 0 : x`: one max instruction, and NaN passes through."""
    zero = constant_like(x, 0)
    return select(compare("greater", zero, x), zero, x)


def sigmoid(x: ir.Value) -> ir.Value:
    """`1 / (1 + e)` or `e / (1 + e)` with e = exp(-|x|): no overflow, and small results keep their digits."""
    one = constant_like(x, 1)
    power = math.exp(arith.negf(math.absf(x)))
    return arith.divf(select(compare("less", x, constant_like(x, 0)), power, one), arith.addf(one, power))


def silu(x: ir.Value) -> ir.Value:
    """`x * sigmoid(x)`, with x in the numerator: one rounding less."""
    power = math.exp(arith.negf(math.absf(x)))
    numerator = select(compare("less", x, constant_like(x, 0)), mul(x, power), x)
    return arith.divf(numerator, arith.addf(constant_like(x, 1), power))


def mish(x: ir.Value) -> ir.Value:
    """`x * tanh(softplus(x))`: with w = e^x, tanh(log(1 + w)) is (w^2 + 2w) / (w^2 + 2w + 2).

    From x = 20 on it is 1, in f64 too.
    """
    two = constant_like(x, 2)
    power = math.exp(clamp(x, None, 20))
    numerator = mul(power, add(power, two))
    return mul(x, arith.divf(numerator, add(numerator, two)))


def softplus(x: ir.Value) -> ir.Value:
    """`max(x, 0) + log1p(exp(-|x|))`: no overflow."""
    return arith.addf(relu(x), math.log1p(math.exp(arith.negf(math.absf(x)))))


def gelu(x: ir.Value, approximate: str) -> ir.Value:
    """`x * P(X <= x)` of the standard normal distribution, or an approximation: "tanh", "sigmoid"."""
    half, one = constant_like(x, 0.5), constant_like(x, 1)
    if approximate == "tanh":
        cube = mul(mul(x, x), x)
        # (1 + tanh(u)) / 2 is sigmoid(2u), which does not cancel for negative u.
        inner = mul(constant_like(x, 1.5957691216057308), add(x, mul(constant_like(x, 0.044715), cube)))
        return mul(x, sigmoid(inner))
    if approximate == "sigmoid":
        return mul(x, sigmoid(mul(constant_like(x, 1.702), x)))
    return mul(mul(half, x), add(one, math.erf(mul(x, constant_like(x, 0.7071067811865476)))))


def exponential_unit(x: ir.Value, alpha: float) -> ir.Value:
    """`x` where positive, else `alpha * (exp(x) - 1)`."""
    negative = mul(constant_like(x, alpha), math.expm1(x))
    return select(compare("greater", x, constant_like(x, 0)), x, negative)


def hard_sigmoid(x: ir.Value, alpha: float, beta: float) -> ir.Value:
    """`max(0, min(1, alpha * x + beta))`."""
    line = add(mul(constant_like(x, alpha), x), constant_like(x, beta))
    return maximum(constant_like(x, 0), minimum(constant_like(x, 1), line))
