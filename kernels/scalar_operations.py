"""What the operators and functions of kernels compute, on typed values and on Python's numbers."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlc.bindings import arith, ir, math
from mlc.passes.common.linalg_builders import constant, is_float
from mlc.passes.lowering.common import activations, scalars


@dataclass(frozen=True)
class Operation:
    """How one operator or function is computed: on typed values, and on numbers known to Python.

    `domain`: "any", "float", "integer" (booleans included) or "bool".
    """

    emit: Callable[..., ir.Value]
    fold: Callable[..., Any]
    domain: str = "any"


def _floor_divide(a: ir.Value, b: ir.Value) -> ir.Value:
    """Python's: rounded down."""
    if is_float(a.type):
        return math.floor(scalars.div(a, b))
    return scalars.div(scalars.sub(a, scalars.modulo(a, b, False)), b)


def is_bool(kind: ir.Type) -> bool:
    """Whether it is the type of truth values."""
    return isinstance(kind, ir.IntegerType) and kind.width == 1


def _invert(x: ir.Value) -> ir.Value:
    return arith.xori(x, constant(x.type, True if is_bool(x.type) else -1))


def _not_equal(a: ir.Value, b: ir.Value) -> ir.Value:
    """True for NaN, as in Python."""
    if is_float(a.type):
        return arith.cmpf(arith.CmpFPredicate.UNE, a, b)
    return arith.cmpi(arith.CmpIPredicate.ne, a, b)


def _compared(predicate: str) -> Callable[[ir.Value, ir.Value], ir.Value]:
    return lambda a, b: scalars.compare(predicate, a, b)


OPERATIONS: dict[str, Operation] = {
    "+": Operation(scalars.add, lambda a, b: a + b),
    "-": Operation(scalars.sub, lambda a, b: a - b),
    "*": Operation(scalars.mul, lambda a, b: a * b),
    "/": Operation(scalars.div, lambda a, b: a / b, "float"),
    "//": Operation(_floor_divide, lambda a, b: a // b),
    "%": Operation(lambda a, b: scalars.modulo(a, b, False), lambda a, b: a % b),
    "**": Operation(scalars.power, lambda a, b: a**b),
    "&": Operation(arith.andi, lambda a, b: a & b, "integer"),
    "|": Operation(arith.ori, lambda a, b: a | b, "integer"),
    "^": Operation(arith.xori, lambda a, b: a ^ b, "integer"),
    "<<": Operation(arith.shli, lambda a, b: a << b, "integer"),
    ">>": Operation(scalars.shift_right, lambda a, b: a >> b, "integer"),
    "==": Operation(_compared("equal"), lambda a, b: a == b),
    "!=": Operation(_not_equal, lambda a, b: a != b),
    "<": Operation(_compared("less"), lambda a, b: a < b),
    "<=": Operation(_compared("less_equal"), lambda a, b: a <= b),
    ">": Operation(_compared("greater"), lambda a, b: a > b),
    ">=": Operation(_compared("greater_equal"), lambda a, b: a >= b),
    "negate": Operation(scalars.negate, lambda a: -a),
    "invert": Operation(_invert, lambda a: ~a, "integer"),
    "not": Operation(_invert, lambda a: not a, "bool"),
    "abs": Operation(scalars.absolute, abs),
    "maximum": Operation(scalars.maximum, max),
    "minimum": Operation(scalars.minimum, min),
    "exp": Operation(math.exp, python_math.exp, "float"),
    "log": Operation(math.log, python_math.log, "float"),
    "log1p": Operation(math.log1p, python_math.log1p, "float"),
    "sqrt": Operation(math.sqrt, python_math.sqrt, "float"),
    "rsqrt": Operation(math.rsqrt, lambda a: 1 / python_math.sqrt(a), "float"),
    "sin": Operation(math.sin, python_math.sin, "float"),
    "cos": Operation(math.cos, python_math.cos, "float"),
    "tanh": Operation(math.tanh, python_math.tanh, "float"),
    "erf": Operation(math.erf, python_math.erf, "float"),
    "sigmoid": Operation(activations.sigmoid, lambda a: 1 / (1 + python_math.exp(-a)), "float"),
    "floor": Operation(math.floor, lambda a: float(python_math.floor(a)), "float"),
    "ceil": Operation(math.ceil, lambda a: float(python_math.ceil(a)), "float"),
}
