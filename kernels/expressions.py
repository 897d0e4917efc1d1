"""Symbolic scalars, with which tensor expressions compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError, SourceLocation, caller_location
from mlc.kernels.sizes import plain


class Expression:
    """A scalar that is computed for each point of an iteration space."""

    location: SourceLocation

    def __add__(self, other: Any) -> Any:
        return binary("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return binary("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return binary("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return binary("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return binary("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("/", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return binary("//", self, other)

    def __mod__(self, other: Any) -> Any:
        return binary("%", self, other)

    def __pow__(self, other: Any) -> Any:
        return binary("**", self, other)

    def __and__(self, other: Any) -> Any:
        return binary("&", self, other)

    def __or__(self, other: Any) -> Any:
        return binary("|", self, other)

    def __xor__(self, other: Any) -> Any:
        return binary("^", self, other)

    def __lshift__(self, other: Any) -> Any:
        return binary("<<", self, other)

    def __rshift__(self, other: Any) -> Any:
        return binary(">>", self, other)

    def __lt__(self, other: Any) -> Any:
        return binary("<", self, other)

    def __le__(self, other: Any) -> Any:
        return binary("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return binary(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return binary(">=", self, other)

    def __eq__(self, other: object) -> Any:
        return binary("==", self, other)

    def __ne__(self, other: object) -> Any:
        return binary("!=", self, other)

    __hash__ = object.__hash__

    def __neg__(self) -> Any:
        return unary("negate", self)

    def __invert__(self) -> Any:
        return unary("invert", self)

    def __abs__(self) -> Any:
        return unary("abs", self)

    def __bool__(self) -> bool:
        raise KernelError(
            "the value is known only when the kernel runs; use where(condition, x, y), & and |",
            caller_location(),
        )


@dataclass(frozen=True, eq=False)
class Apply(Expression):
    """An operation of `scalars.OPERATIONS` on expressions and Python scalars."""

    name: str
    operands: tuple[Any, ...]
    location: SourceLocation


@dataclass(frozen=True, eq=False)
class Convert(Expression):
    """A conversion to another element type."""

    element: ElementType
    operand: Any
    location: SourceLocation


@dataclass(frozen=True, eq=False)
class Select(Expression):
    """`x` where `condition` holds, else `y`."""

    condition: Any
    x: Any
    y: Any
    location: SourceLocation


@dataclass(frozen=True, eq=False)
class IterationAxis(Expression):
    """A dimension of an iteration space, from 0 to `extent` - 1; as a value, the index."""

    name: str
    extent: int
    location: SourceLocation


@dataclass(frozen=True, eq=False)
class TensorElement(Expression):
    """An element of a tensor."""

    tensor: Any
    subscripts: tuple[Any, ...]
    location: SourceLocation


@dataclass(frozen=True, eq=False)
class Reduce(Expression):
    """A reduction of `body` over all points of `axes`; `combiner` is "sum", "prod", "max" or "min"."""

    combiner: str
    body: Any
    axes: tuple[IterationAxis, ...]
    location: SourceLocation


def binary(name: str, a: Any, b: Any) -> Expression:
    """Returns a binary operation at the caller's location."""
    return Apply(name, (plain(a), plain(b)), caller_location())


def unary(name: str, a: Any) -> Expression:
    """Returns a unary operation at the caller's location."""
    return Apply(name, (a,), caller_location())


def operands_of(expression: Any) -> Sequence[Any]:
    """Returns the direct operands of an expression."""
    match expression:
        case Apply(operands=operands) | TensorElement(subscripts=operands):
            return operands
        case Convert(operand=operand):
            return (operand,)
        case Select(condition=condition, x=x, y=y):
            return (condition, x, y)
        case Reduce(body=body):
            return (body,)
    return ()
