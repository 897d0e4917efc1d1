"""The functions of both kinds of kernels: `exp(x)`, `where(condition, x, y)`, `sum(body, k)`."""

from __future__ import annotations

import builtins
import math
from dataclasses import dataclass
from typing import Any

from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError, caller_place
from mlc.kernels.expressions import Apply, Convert, IterationAxis, Reduce, Select
from mlc.kernels.sizes import plain


@dataclass(frozen=True)
class BuiltinFunction:
    """A function of `scalars.OPERATIONS` for users; `arity` is the number of its operands."""

    name: str
    arity: int = 1

    def __call__(self, *operands: Any) -> Any:
        if len(operands) != self.arity:
            raise KernelError(f"{self.name} takes {self.arity} operands, not {len(operands)}", caller_place())
        return Apply(self.name, tuple(map(plain, operands)), caller_place())


exp, log, log1p, sqrt, rsqrt, sin, cos, tanh, erf, sigmoid, floor, ceil = map(
    BuiltinFunction, "exp log log1p sqrt rsqrt sin cos tanh erf sigmoid floor ceil".split()
)
maximum, minimum = BuiltinFunction("maximum", 2), BuiltinFunction("minimum", 2)


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where `condition` holds, else `y`; both are computed."""
    return Select(condition, plain(x), plain(y), caller_place())


def convert(element: ElementType, value: Any) -> Any:
    """`value` with elements of another type."""
    return Convert(element, plain(value), caller_place())


def axis(extent: Any, name: str = "k") -> Any:
    """An axis to reduce over: `k = axis(K)`."""
    return IterationAxis(name, int(extent), caller_place())


@dataclass(frozen=True)
class Reduction:
    """`sum(body, k)`: `body` combined over axes. `max(x, y)` and `min(x, y)` choose one of two."""

    kind: str
    pairwise: BuiltinFunction | None = None

    def __call__(self, body: Any, *axes: Any) -> Any:
        if axes and all(isinstance(each, IterationAxis) for each in axes):
            return Reduce(self.kind, body, axes, caller_place())
        if self.pairwise is not None and axes:
            return self.pairwise(body, *axes)
        example = f"{self.kind}(a[i, k], k) with k = axis(K)"
        raise KernelError(f"{self.kind} wants axes to reduce over: {example}", caller_place())


sum, prod = Reduction("sum"), Reduction("prod")
max, min = Reduction("max", maximum), Reduction("min", minimum)

# What stands for a function of ours where a kernel's source says it.
SYNONYMS: dict[Any, BuiltinFunction] = {
    max: maximum,
    min: minimum,
    builtins.max: maximum,
    builtins.min: minimum,
    builtins.abs: BuiltinFunction("abs"),
    **{getattr(math, each.name): each for each in (exp, log, log1p, sqrt, sin, cos, tanh, erf)},
}
