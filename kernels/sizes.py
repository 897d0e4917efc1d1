"""Sizes in signatures: integers, or names that the arrays of a call bind."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mlc.kernels.errors import KernelError

# The sizes of the kernel that is being built.
_BOUND: ContextVar[Mapping[str, int]] = ContextVar("mlc.kernels.sizes")


class SymbolicDim:
    """A size that calls bind: a name, or arithmetic on names. Inside a kernel it is an integer."""

    def __init__(self, text: str, names: frozenset[str], value: Callable[[Mapping[str, int]], int]) -> None:
        self.text = text
        self.names = names
        self.value = value

    def __repr__(self) -> str:
        return self.text

    def __index__(self) -> int:
        try:
            return self.value(_BOUND.get({}))
        except KeyError as error:
            raise KernelError(
                f"the size {error.args[0]} is known only inside a kernel that uses it"
            ) from None

    def _with(self, sign: str, function: Callable[[int, int], int], other: Any, swap: bool = False) -> Any:
        if not isinstance(other, SymbolicDim | int):
            return NotImplemented
        left, right = (other, self) if swap else (self, other)
        names = self.names | (other.names if isinstance(other, SymbolicDim) else frozenset())
        return SymbolicDim(
            f"({left} {sign} {right})",
            names,
            lambda sizes: function(size_of(left, sizes), size_of(right, sizes)),
        )

    def __add__(self, other: Any) -> Any:
        return self._with("+", operator.add, other)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", operator.sub, other)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", operator.mul, other)

    def __floordiv__(self, other: Any) -> Any:
        return self._with("//", operator.floordiv, other)

    def __mod__(self, other: Any) -> Any:
        return self._with("%", operator.mod, other)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", operator.add, other, swap=True)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", operator.sub, other, swap=True)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", operator.mul, other, swap=True)

    @property
    def name(self) -> str | None:
        """The name of a single symbol, which a call's arrays can bind; None for arithmetic."""
        return self.text if self.names == {self.text} else None


Size = int | SymbolicDim


def dim(name: str) -> SymbolicDim:
    """Returns the size called `name`."""
    return SymbolicDim(name, frozenset((name,)), lambda sizes: sizes[name])


def dims(names: str) -> tuple[Any, ...]:
    """Returns `SymbolicDim`s by their names: `M, N = dims("M N")`. In the source of a kernel they are
    integers."""
    return tuple(dim(name) for name in names.replace(",", " ").split())


def size_of(size: Size, sizes: Mapping[str, int]) -> int:
    """Returns the value of a size. Raises KeyError for a name that `sizes` lacks."""
    return size.value(sizes) if isinstance(size, SymbolicDim) else size


def plain(value: Any) -> Any:
    """Returns a size as the integer that it is inside a kernel; other values stay."""
    return int(value) if isinstance(value, SymbolicDim) else value


@contextmanager
def bind_sizes(sizes: Mapping[str, int]) -> Iterator[None]:
    """Gives every `SymbolicDim` its value in `sizes` inside the `with` block."""
    token = _BOUND.set(sizes)
    try:
        yield
    finally:
        _BOUND.reset(token)
