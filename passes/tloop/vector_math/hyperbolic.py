"""tanh."""

from __future__ import annotations

from mlc.passes.tloop.vector_math import coefficients
from mlc.passes.tloop.vector_math.exponential import BIAS, power_minus_one
from mlc.passes.tloop.vector_math.number import Number, horner, multiply_add, select


def tanh(x: Number) -> Number:
    """|x| + |x|^3 P(x^2) near 0, 1 - 2 / (e^2|x| + 1) elsewhere. Error below 1.5 ulp."""
    magnitude = abs(x)
    square = x * x
    near = multiply_add(magnitude * square, horner(square, coefficients.TANH), magnitude)
    # Beyond 9.1, tanh is 1 in f32.
    bounded = magnitude.at_most(9.1)
    tail, exponent = power_minus_one(bounded + bounded, BIAS)
    scale = (exponent << 23).as_float(x.type)
    far = 1.0 - 2.0 / multiply_add(scale, tail, scale + 1.0)
    return select(magnitude < 0.55, near, far).with_sign_of(x)
