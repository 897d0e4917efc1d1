"""The functions that kernels call: `exp(x)`, `where(condition, x, y)`, `sum(body, k)`."""

from __future__ import annotations

import builtins
import math
from dataclasses import dataclass
from typing import Any

from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError, caller_location
from mlc.kernels.expressions import Apply, Convert, IterationAxis, Reduce, Select
from mlc.kernels.sizes import plain


@dataclass(frozen=True)
class BuiltinFunction:
    """A function of `scalars.OPERATIONS` for users; `arity` is the number of its operands."""

    name: str
    arity: int = 1

    def __call__(self, *operands: Any) -> Any:
        if len(operands) != self.arity:
            raise KernelError(
                f"{self.name} takes {self.arity} operands, not {len(operands)}", caller_location()
            )
        return Apply(self.name, tuple(map(plain, operands)), caller_location())


exp, log, log1p, sqrt, rsqrt, sin, cos, tanh, erf, sigmoid, floor, ceil = map(
    BuiltinFunction, "exp log log1p sqrt rsqrt sin cos tanh erf sigmoid floor ceil".split()
)
maximum, minimum = BuiltinFunction("maximum", 2), BuiltinFunction("minimum", 2)


def where(condition: Any, x: Any, y: Any) -> Any:
    """Returns `x` where `condition` holds, else `y`; both are computed."""
    return Select(condition, plain(x), plain(y), caller_location())


def convert(element: ElementType, value: Any) -> Any:
    """Returns `value` converted to another element type."""
    return Convert(element, plain(value), caller_location())


def axis(extent: Any, name: str = "k") -> Any:
    """Returns an axis to reduce over: `k = axis(K)`."""
    return IterationAxis(name, int(extent), caller_location())


@dataclass(frozen=True)
class Reduction:
    """`sum(body, k)`: `body` combined over axes. `max(x, y)` and `min(x, y)` choose one of two."""

    name: str
    pairwise: BuiltinFunction | None = None

    def __call__(self, body: Any, *axes: Any) -> Any:
        if axes and all(isinstance(given, IterationAxis) for given in axes):
            return Reduce(self.name, body, axes, caller_location())
        if self.pairwise is not None and axes:
            return self.pairwise(body, *axes)
        example = f"{self.name}(a[i, k], k) with k = axis(K)"
        raise KernelError(f"{self.name} wants axes to reduce over: {example}", caller_location())


sum, prod = Reduction("sum"), Reduction("prod")
max, min = Reduction("max", maximum), Reduction("min", minimum)

# Functions of Python that stand for these in the source of a kernel.
SYNONYMS: dict[Any, BuiltinFunction] = {
    max: maximum,
    min: minimum,
    builtins.max: maximum,
    builtins.min: minimum,
    builtins.abs: BuiltinFunction("abs"),
    **{getattr(math, function.name): function for function in (exp, log, log1p, sqrt, sin, cos, tanh, erf)},
}
