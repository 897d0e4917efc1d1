"""Scalar arithmetic of kernels: their operators and functions, on typed values and on Python scalars."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mlc.bindings import arith, ir, math
from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError
from mlc.passes.common.linalg_builders import constant, is_float
from mlc.passes.lowering.common import activations, conversions, scalars


@dataclass(frozen=True)
class ScalarOperation:
    """An operator or function: `emit` builds it on typed values, `fold` computes it on Python scalars.

    `domain`: "any", "float", "integer" (booleans included) or "bool".
    """

    emit: Callable[..., ir.Value]
    fold: Callable[..., Any]
    domain: str = "any"


def _floor_divide(a: ir.Value, b: ir.Value) -> ir.Value:
    """Divides as Python does: rounded down."""
    if is_float(a.type):
        return math.floor(scalars.div(a, b))
    return scalars.div(scalars.sub(a, scalars.modulo(a, b, False)), b)


def is_bool(type_: ir.Type) -> bool:
    """Whether it is the type i1."""
    return isinstance(type_, ir.IntegerType) and type_.width == 1


def _invert(x: ir.Value) -> ir.Value:
    return arith.xori(x, constant(x.type, True if is_bool(x.type) else -1))


def _not_equal(a: ir.Value, b: ir.Value) -> ir.Value:
    """Compares for inequality, true for NaN as in Python."""
    if is_float(a.type):
        return arith.cmpf(arith.CmpFPredicate.UNE, a, b)
    return arith.cmpi(arith.CmpIPredicate.ne, a, b)


def _comparison(predicate: str) -> Callable[[ir.Value, ir.Value], ir.Value]:
    return lambda a, b: scalars.compare(predicate, a, b)


OPERATIONS: dict[str, ScalarOperation] = {
    "+": ScalarOperation(scalars.add, lambda a, b: a + b),
    "-": ScalarOperation(scalars.sub, lambda a, b: a - b),
    "*": ScalarOperation(scalars.mul, lambda a, b: a * b),
    "/": ScalarOperation(scalars.div, lambda a, b: a / b, "float"),
    "//": ScalarOperation(_floor_divide, lambda a, b: a // b),
    "%": ScalarOperation(lambda a, b: scalars.modulo(a, b, False), lambda a, b: a % b),
    "**": ScalarOperation(scalars.power, lambda a, b: a**b),
    "&": ScalarOperation(arith.andi, lambda a, b: a & b, "integer"),
    "|": ScalarOperation(arith.ori, lambda a, b: a | b, "integer"),
    "^": ScalarOperation(arith.xori, lambda a, b: a ^ b, "integer"),
    "<<": ScalarOperation(arith.shli, lambda a, b: a << b, "integer"),
    ">>": ScalarOperation(scalars.shift_right, lambda a, b: a >> b, "integer"),
    "==": ScalarOperation(_comparison("equal"), lambda a, b: a == b),
    "!=": ScalarOperation(_not_equal, lambda a, b: a != b),
    "<": ScalarOperation(_comparison("less"), lambda a, b: a < b),
    "<=": ScalarOperation(_comparison("less_equal"), lambda a, b: a <= b),
    ">": ScalarOperation(_comparison("greater"), lambda a, b: a > b),
    ">=": ScalarOperation(_comparison("greater_equal"), lambda a, b: a >= b),
    "negate": ScalarOperation(scalars.negate, lambda a: -a),
    "invert": ScalarOperation(_invert, lambda a: ~a, "integer"),
    "not": ScalarOperation(_invert, lambda a: not a, "bool"),
    "abs": ScalarOperation(scalars.absolute, abs),
    "maximum": ScalarOperation(scalars.maximum, max),
    "minimum": ScalarOperation(scalars.minimum, min),
    "exp": ScalarOperation(math.exp, python_math.exp, "float"),
    "log": ScalarOperation(math.log, python_math.log, "float"),
    "log1p": ScalarOperation(math.log1p, python_math.log1p, "float"),
    "sqrt": ScalarOperation(math.sqrt, python_math.sqrt, "float"),
    "rsqrt": ScalarOperation(math.rsqrt, lambda a: 1 / python_math.sqrt(a), "float"),
    "sin": ScalarOperation(math.sin, python_math.sin, "float"),
    "cos": ScalarOperation(math.cos, python_math.cos, "float"),
    "tanh": ScalarOperation(math.tanh, python_math.tanh, "float"),
    "erf": ScalarOperation(math.erf, python_math.erf, "float"),
    "sigmoid": ScalarOperation(activations.sigmoid, lambda a: 1 / (1 + python_math.exp(-a)), "float"),
    "floor": ScalarOperation(math.floor, lambda a: float(python_math.floor(a)), "float"),
    "ceil": ScalarOperation(math.ceil, lambda a: float(python_math.ceil(a)), "float"),
}


PythonScalar: TypeAlias = bool | int | float
Scalar: TypeAlias = ir.Value | PythonScalar


def apply(name: str, operands: Sequence[Scalar]) -> Scalar:
    """Applies an operation; the result is a Python scalar if all operands are.

    Raises KernelError for types that do not fit.
    """
    operation = OPERATIONS[name]
    if not any(isinstance(operand, ir.Value) for operand in operands):
        return _fold(name, operation, operands)
    values = same_type(name, operands)
    _check_domain(name, operation.domain, values[0].type)
    return operation.emit(*values)


def _fold(name: str, operation: ScalarOperation, operands: Sequence[Scalar]) -> Scalar:
    try:
        return operation.fold(*operands)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise KernelError(f"'{name}' of {', '.join(map(str, operands))}: {error}") from None


def same_type(name: str, operands: Sequence[Scalar]) -> list[ir.Value]:
    """Returns all operands as values of one type: Python scalars and indices take that of the others."""
    types = list(dict.fromkeys(operand.type for operand in operands if isinstance(operand, ir.Value)))
    # The arithmetic below has integers, not indices.
    index = ir.IntegerType.get_signless(64)
    proper = [type_ for type_ in types if not isinstance(type_, ir.IndexType)] or [index]
    if len(proper) > 1:
        raise KernelError(
            f"'{name}' mixes {' and '.join(map(str, proper))}; convert one of them: {_python(proper[0])}(x)"
        )
    return [to_type(operand, proper[0]) for operand in operands]


def to_type(scalar: Scalar, type_: ir.Type) -> ir.Value:
    """Returns a Python scalar as a constant of `type_`, an index as an integer of `type_`, and a value of
    `type_`.

    Raises KernelError.
    """
    if not isinstance(scalar, ir.Value):
        return _literal(scalar, type_)
    if scalar.type == type_:
        return scalar
    if isinstance(scalar.type, ir.IndexType) and isinstance(type_, ir.IntegerType) and type_.width > 1:
        return arith.index_cast(type_, scalar)
    if isinstance(type_, ir.IndexType) and isinstance(scalar.type, ir.IntegerType):
        return arith.index_cast(type_, scalar)
    raise KernelError(
        f"expected {_python(type_)}, but this is {_python(scalar.type)}; convert it: {_python(type_)}(x)"
    )


def _literal(value: PythonScalar, type_: ir.Type) -> ir.Value:
    if not isinstance(value, PythonScalar):
        raise KernelError(f"expected an integer or a float, but this is {value!r}")
    if not is_float(type_):
        if isinstance(value, float) and not value.is_integer():
            raise KernelError(f"{value} is no {_python(type_)}")
        if isinstance(type_, ir.IntegerType) and not _fits(int(value), type_.width):
            raise KernelError(f"{value} does not fit into {_python(type_)}")
    try:
        return constant(type_, value)
    except OverflowError:
        raise KernelError(f"{value} does not fit into {_python(type_)}") from None


def _fits(value: int, width: int) -> bool:
    return value in (0, 1) if width == 1 else -(1 << (width - 1)) <= value < 1 << (width - 1)


def _python(type_: ir.Type) -> str:
    return "an index" if isinstance(type_, ir.IndexType) else str(type_)


def _check_domain(name: str, domain: str, type_: ir.Type) -> None:
    fits = {
        "any": True,
        "float": is_float(type_),
        "integer": not is_float(type_),
        "bool": is_bool(type_),
    }[domain]
    if not fits:
        hint = "; '//' divides integers" if name == "/" else ""
        raise KernelError(f"'{name}' wants {domain} operands, but these are {_python(type_)}{hint}")


def select(condition: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """Returns `x if condition else y`; both are computed."""
    if not isinstance(condition, ir.Value):
        return x if condition else y
    if not is_bool(condition.type):
        raise KernelError(f"a condition is a bool, but this is {_python(condition.type)}")
    first, second = (
        same_type("where", [x, y]) if isinstance(x, ir.Value) or isinstance(y, ir.Value) else (x, y)
    )
    if not isinstance(first, ir.Value):
        raise KernelError("both branches are Python scalars; give one a type, as in f32(1.0)")
    return arith.select(condition, first, second)


def convert(value: Scalar, element: ElementType) -> ir.Value:
    """Converts `value` to another element type, as ONNX and C do."""
    type_ = ir.Type.parse(element.name)
    if not isinstance(value, ir.Value):
        return _literal(value if is_float(type_) else int(value), type_)
    if isinstance(value.type, ir.IndexType):
        value = arith.index_cast(ir.IntegerType.get_signless(64), value)
    return conversions.convert(value, type_)
