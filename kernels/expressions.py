"""Symbolic scalars, with which tensor expressions compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError, SourceLocation, caller_place
from mlc.kernels.sizes import plain


class Expression:
    """A scalar that is computed for each point of an iteration space."""

    place: SourceLocation

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
            caller_place(),
        )


@dataclass(frozen=True, eq=False)
class Apply(Expression):
    """An operation of `scalars.OPERATIONS` on expressions and numbers."""

    name: str
    operands: tuple[Any, ...]
    place: SourceLocation


@dataclass(frozen=True, eq=False)
class Convert(Expression):
    """A conversion to another element type."""

    element: ElementType
    operand: Any
    place: SourceLocation


@dataclass(frozen=True, eq=False)
class Select(Expression):
    """`x` where `condition` holds, else `y`."""

    condition: Any
    x: Any
    y: Any
    place: SourceLocation


@dataclass(frozen=True, eq=False)
class IterationAxis(Expression):
    """A dimension of an iteration space, from 0 to `extent` - 1; as a value, the index."""

    name: str
    extent: int
    place: SourceLocation


@dataclass(frozen=True, eq=False)
class TensorElement(Expression):
    """An element of a tensor."""

    tensor: Any
    subscripts: tuple[Any, ...]
    place: SourceLocation


@dataclass(frozen=True, eq=False)
class Reduce(Expression):
    """`body` combined over all points of `axes`: `kind` is "sum", "prod", "max" or "min"."""

    kind: str
    body: Any
    axes: tuple[IterationAxis, ...]
    place: SourceLocation


def binary(name: str, a: Any, b: Any) -> Expression:
    return Apply(name, (plain(a), plain(b)), caller_place())


def unary(name: str, a: Any) -> Expression:
    return Apply(name, (a,), caller_place())


def operands_of(expression: Any) -> Sequence[Any]:
    """The expressions that one is made of."""
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
