"""The error function."""

from __future__ import annotations

from mlc.passes.math import coefficients
from mlc.passes.math.expression import FloatValue, horner, multiply_add, select

# From here on erf is 1 in f32, as is the polynomial.
BOUND = 4.0
NEAR = 1.15
CENTRE = (NEAR + BOUND) / 2


def erf(x: FloatValue) -> FloatValue:
    """Returns `x + x P(x^2)` near 0, `1 - Q(|x|)^4` elsewhere. Error below 1.75 ulp.

    The fourth root of 1 - erf is so smooth that Q needs few terms.
    """
    magnitude = abs(x)
    near = multiply_add(horner(x * x, coefficients.ERF_NEAR), magnitude, magnitude)
    root = horner(magnitude.at_most(BOUND) - CENTRE, coefficients.ERF_FAR)
    square = root * root
    far = 1.0 - square * square
    return select(magnitude < NEAR, near, far).with_sign_of(x)
