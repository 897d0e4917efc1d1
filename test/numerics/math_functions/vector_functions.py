"""The f32 functions that kernels compute by arithmetic: their exact values in f64, and the errors that are
promised for them (docs/vector-math.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
ROOT_PI = math.sqrt(math.pi)


@dataclass(frozen=True)
class Function:
    """`op` is a math op or a graph op, the latter with `attributes`; `exact` takes and gives f64.

    The error is below `bound` ulp of the result, or, where `absolute` is given, ulp of `absolute(x)` if that
    is larger. `thresholds` are arguments near which the sample is dense: where the code takes other paths.
    """

    op: str
    exact: Callable[[Array], Array]
    bound: float
    thresholds: tuple[float, ...] = ()
    attributes: str = ""
    absolute: Callable[[Array], Array] | None = None


def _one_by_one(
    function: Callable[[float], float], x: Array, low: float, high: float, outside: Array
) -> Array:
    """`function` where low <= |x| <= high, a loop in Python; `outside` elsewhere."""
    result = outside.copy()
    inside = (np.abs(x) >= low) & (np.abs(x) <= high)
    result[inside] = [function(value) for value in x[inside].tolist()]
    return result


def _erf(x: Array) -> Array:
    near = 2 / ROOT_PI * x * (1 - x * x / 3)
    return _one_by_one(math.erf, x, 2.0**-13, 6.0, np.where(np.abs(x) < 1, near, np.sign(x)))


def _gelu(x: Array) -> Array:
    """Uses erfc: no cancellation for negative x."""
    near = x * (0.5 + x / (math.sqrt(2) * ROOT_PI))
    far = np.where(x > 0, x, x * 0)
    outside = np.where(np.abs(x) < 1, near, far)
    return _one_by_one(lambda v: v / 2 * math.erfc(-v / math.sqrt(2)), x, 2.0**-14, 16.0, outside)


def _gelu_tanh(x: Array) -> Array:
    return x * _sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3))


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _mish(x: Array) -> Array:
    """tanh(softplus(x)) without cancellation: with w = e^x, (w^2 + 2w) / (w^2 + 2w + 2)."""
    w = np.exp(np.minimum(x, 30))
    return x * (w * (w + 2) / (w * (w + 2) + 2))


def _elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(x))


# ONNX's defaults.
ALPHA, GAMMA = 1.67326319217681884765625, 1.05070102214813232421875


def _selu(x: Array) -> Array:
    return GAMMA * np.where(x > 0, x, ALPHA * np.expm1(x))


def _subnormal_power(x: Array) -> Array:
    """Below it, x e^x is x times a subnormal number, which has few digits."""
    return np.abs(x) * 2.0**-126


# Where exp overflows, where its results become subnormal, and where they vanish.
EXP = (88.72284, -87.33654, -86.0, -103.97208, 89.0, -104.0, 0.34657359)
LOG = (1.0, 2.0**0.5, 2.0**-0.5, 2.0**-126, 2.0)
# Near multiples of pi / 2, where angles become large, and the f32 that is nearest to a multiple of pi / 2.
ANGLES = (np.pi / 4, np.pi / 2, np.pi, 3 * np.pi / 2, 2 * np.pi, 8192.0, 16367173.0 * 2.0**72)

FUNCTIONS = {
    "exp": Function("graph.exp", np.exp, 1.1, EXP),
    "exp2": Function("math.exp2", np.exp2, 1.1, (128.0, -124.0, -126.0, -149.0, -150.0, -151.0, 0.5)),
    "expm1": Function("math.expm1", np.expm1, 1.5, (*EXP, -17.5, -18.0, 2.0**-25)),
    "log": Function("graph.log", np.log, 1.0, LOG),
    "log1p": Function("math.log1p", np.log1p, 1.5, (-1.0, 2.0**0.5 - 1, 2.0**-0.5 - 1, 2.0**-25, 2.0**126)),
    "tanh": Function("graph.tanh", np.tanh, 1.5, (0.55, 9.1, 9.01)),
    "sqrt": Function("graph.sqrt", np.sqrt, 0.501, (2.0**-126,)),
    "rsqrt": Function("graph.rsqrt", lambda x: 1 / np.sqrt(x), 1.5, (2.0**-126,)),
    "sinh": Function("graph.sinh", np.sinh, 2.0, (89.415985, 89.5, 0.34657359)),
    "cosh": Function("graph.cosh", np.cosh, 2.0, (89.415985, 89.5, 0.34657359)),
    "asinh": Function("graph.asinh", np.arcsinh, 2.0, (1.0, 2.0**60, 0.5)),
    "acosh": Function("graph.acosh", np.arccosh, 2.25, (1.0, 2.0**60, 2.0)),
    "atanh": Function("graph.atanh", np.arctanh, 1.5, (1.0, 0.5)),
    "sin": Function("graph.sin", np.sin, 2.0, ANGLES),
    "cos": Function("graph.cos", np.cos, 2.0, ANGLES),
    "tan": Function("graph.tan", np.tan, 3.0, ANGLES),
    "asin": Function("graph.asin", np.arcsin, 1.5, (1.0, 0.6)),
    "acos": Function("graph.acos", np.arccos, 1.75, (1.0, 0.6)),
    "atan": Function("graph.atan", np.arctan, 1.5, (1.0,)),
    "erf": Function("graph.erf", _erf, 1.75, (1.1, 4.1)),
    "sigmoid": Function("graph.sigmoid", _sigmoid, 2.75, EXP),
    "silu": Function("graph.silu", lambda x: x * _sigmoid(x), 3.5, EXP, absolute=_subnormal_power),
    "softplus": Function("graph.softplus", _softplus, 2.5, EXP),
    "mish": Function("graph.mish", _mish, 5.0, (*EXP, 20.0), absolute=_subnormal_power),
    "elu": Function("graph.elu", _elu, 1.5, EXP, "{alpha = 1.0 : f64}"),
    "selu": Function("graph.selu", _selu, 2.5, EXP, f"{{alpha = {ALPHA} : f64, gamma = {GAMMA} : f64}}"),
    "celu": Function("graph.celu", _elu, 1.5, EXP, "{alpha = 1.0 : f64}"),
    "softsign": Function("graph.softsign", lambda x: x / (1 + np.abs(x)), 1.6, (1.0, 2.0**24)),
    "gelu": Function("graph.gelu", _gelu, 1.75, (1.5556349, 5.7982756), '{approximate = "none"}', np.abs),
    "gelu tanh": Function("graph.gelu", _gelu_tanh, 2.5, (10.0,), '{approximate = "tanh"}', np.abs),
}
