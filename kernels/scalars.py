"""Scalar arithmetic of both kinds of kernels, on typed values and on Python's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mlc.bindings import arith, ir
from mlc.kernels.elements import Element
from mlc.kernels.errors import KernelFailure
from mlc.kernels.scalar_operations import OPERATIONS, Operation, is_bool
from mlc.passes.common.linalg_builders import constant, is_float
from mlc.passes.lowering.common import conversions

Number: TypeAlias = bool | int | float
Scalar: TypeAlias = ir.Value | Number


def apply(name: str, operands: Sequence[Scalar]) -> Scalar:
    """The operation on `operands`; a number if all are numbers.

    Raises KernelFailure for types that do not fit.
    """
    operation = OPERATIONS[name]
    if not any(isinstance(each, ir.Value) for each in operands):
        return _fold(name, operation, operands)
    values = same_type(name, operands)
    _check_domain(name, operation.domain, values[0].type)
    return operation.emit(*values)


def _fold(name: str, operation: Operation, operands: Sequence[Scalar]) -> Scalar:
    try:
        return operation.fold(*operands)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise KernelFailure(f"'{name}' of {', '.join(map(str, operands))}: {error}") from None


def same_type(name: str, operands: Sequence[Scalar]) -> list[ir.Value]:
    """All operands as values of one type: numbers and indices take that of the others."""
    kinds = list(dict.fromkeys(each.type for each in operands if isinstance(each, ir.Value)))
    # The arithmetic below knows integers, not indices.
    index = ir.IntegerType.get_signless(64)
    proper = [kind for kind in kinds if not isinstance(kind, ir.IndexType)] or [index]
    if len(proper) > 1:
        raise KernelFailure(
            f"'{name}' mixes {' and '.join(map(str, proper))}; convert one of them: {_python(proper[0])}(x)"
        )
    return [typed(each, proper[0]) for each in operands]


def typed(scalar: Scalar, kind: ir.Type) -> ir.Value:
    """A number as a constant of `kind`, an index as an integer of `kind`; a value must be of it already.

    Raises KernelFailure.
    """
    if not isinstance(scalar, ir.Value):
        return _literal(scalar, kind)
    if scalar.type == kind:
        return scalar
    if isinstance(scalar.type, ir.IndexType) and isinstance(kind, ir.IntegerType) and kind.width > 1:
        return arith.index_cast(kind, scalar)
    if isinstance(kind, ir.IndexType) and isinstance(scalar.type, ir.IntegerType):
        return arith.index_cast(kind, scalar)
    raise KernelFailure(
        f"expected {_python(kind)}, but this is {_python(scalar.type)}; convert it: {_python(kind)}(x)"
    )


def _literal(number: Number, kind: ir.Type) -> ir.Value:
    if not isinstance(number, Number):
        raise KernelFailure(f"expected a number, but this is {number!r}")
    if not is_float(kind):
        if isinstance(number, float) and number != int(number):
            raise KernelFailure(f"{number} is no {_python(kind)}")
        if isinstance(kind, ir.IntegerType) and not _fits(int(number), kind.width):
            raise KernelFailure(f"{number} does not fit into {_python(kind)}")
    return constant(kind, number)


def _fits(number: int, width: int) -> bool:
    return number in (0, 1) if width == 1 else -(1 << (width - 1)) <= number < 1 << (width - 1)


def _python(kind: ir.Type) -> str:
    return "an index" if isinstance(kind, ir.IndexType) else str(kind)


def _check_domain(name: str, domain: str, kind: ir.Type) -> None:
    fits = {
        "any": True,
        "float": is_float(kind),
        "integer": not is_float(kind),
        "bool": is_bool(kind),
    }[domain]
    if not fits:
        hint = "; '//' divides integers" if name == "/" else ""
        raise KernelFailure(f"'{name}' wants {domain} operands, but these are {_python(kind)}{hint}")


def select(condition: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """`x if condition else y`, both computed."""
    if not isinstance(condition, ir.Value):
        return x if condition else y
    if not is_bool(condition.type):
        raise KernelFailure(f"a condition is a bool, but this is {_python(condition.type)}")
    first, second = (
        same_type("where", [x, y]) if isinstance(x, ir.Value) or isinstance(y, ir.Value) else (x, y)
    )
    if not isinstance(first, ir.Value):
        raise KernelFailure("both branches are plain numbers; give one a type, as in f32(1.0)")
    return arith.select(condition, first, second)


def convert(value: Scalar, element: Element) -> ir.Value:
    """`value` with another element type: ONNX's and C's conversion."""
    kind = ir.Type.parse(element.name)
    if not isinstance(value, ir.Value):
        return _literal(value if is_float(kind) else int(value), kind)
    if isinstance(value.type, ir.IndexType):
        value = arith.index_cast(ir.IntegerType.get_signless(64), value)
    return conversions.convert(value, kind)
