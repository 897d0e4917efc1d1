"""Helpers that examples of rules are written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from rule_values import Values

from mlc.bindings import ir

Example = Callable[[Values], ir.Value]
Examples = dict[str, list[Example]]


def f32(values: Sequence[float] | Sequence[Sequence[float]]) -> np.ndarray:
    """An array of f32."""
    return np.array(values, np.float32)


def per_op(names: str, build: Callable[[Values, str], ir.Value]) -> list[Example]:
    """An example per op name."""
    return [lambda v, name=name: build(v, name) for name in names.split()]


def weights(v: Values, rows: int, columns: int, scale: float = 1) -> ir.Value:
    """A constant matrix of positive values."""
    return v.constant((scale * np.arange(1, rows * columns + 1)).astype(np.float32).reshape(rows, columns))
