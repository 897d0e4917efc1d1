"""The values on which rules of graph passes are tested, and a short way to build graph ops on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.common.values import dtype

TINY, LARGE = np.finfo(np.float32).tiny, np.finfo(np.float32).max
FLOATS = np.array(
    [
        *(np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 1e-40, TINY, -TINY, 1e-20, -1e-20, 0.25, -0.5),
        *(1.0, -1.0, 1.5, -2.5, 3.0, -7.0, 1e10, -1e20, LARGE, -LARGE),
    ],
    np.float32,
)
NORMAL = np.array([-3.7, -2.5, -1.3, -1.0, -0.6, -0.11, 0.07, 0.3, 0.9, 1.0, 1.7, 2.9], np.float32)
INTEGERS = np.array([0, 1, -1, 2, -2, 7, -7, 255, 2**24 + 1, 2**31 - 1, -(2**31), 1 - 2**31], np.int32)
SMALL = np.array([0, 1, -1, 5, -5, 100, 127, -128], np.int8)
TRUTH = np.array([True, False])
HALVES = np.array(
    [
        *(np.nan, np.inf, -np.inf, 0.0, -0.0, 6e-8, -6e-8, 3e-5, 6.2e-5, -6.2e-5, 1e-3, -1e-3, 0.25, -0.5),
        *(1.0, -1.0, 1.5, -2.5, 3.0, -7.0, 300.0, -2049.0, 65504.0, -65504.0),
    ],
    np.float16,
)
UNSIGNED = np.array([0, 1, 2, 3, 5, 7, 44, 100, 127, 128, 200, 255], np.uint8)
# Integers on which rules of rounding are tested: no zero, since x / x is 1 to approximate rules.
WHOLE = np.array([1, -1, 2, -2, 3, 7, -7, 255, 46341, 2**24 + 1, 2**31 - 1, -(2**31)], np.int32)


def pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every value with every other, as two vectors."""
    first, second = np.meshgrid(values, values, indexing="ij")
    return first.ravel(), second.ravel()


def matrix(values: np.ndarray) -> np.ndarray:
    """`[4, 6]`: the values in some order, again and again."""
    return np.resize(np.roll(values, 5), (4, 6))


# The arguments whose elements are of the type on which rules are tested.
OF_TYPE = {"x", "y", "m", "n", "row", "one", "column", "p"}


def arguments(elements: np.ndarray) -> dict[str, np.ndarray]:
    """Returns arrays by name: vectors of pairs of elements x, y, integers i, j, small integers k, booleans c,
    d; matrices m `[4, 6]`, n `[6, 4]`, row `[6]`, one `[1, 6]`, column `[4, 1]`, an image p `[1, 2, 3, 4]`. i
    and j are unsigned if the elements are.
    """
    x, y = pairs(elements)
    i, j = pairs(elements if elements.dtype.kind == "u" else INTEGERS)
    c, d = pairs(TRUTH)
    m = matrix(elements)
    return {
        "x": x, "y": y, "i": i, "j": j, "k": SMALL, "c": c, "d": d, "m": m, "n": m.reshape(6, 4)[::-1].copy(),
        "row": m[0].copy(), "one": m[1:2].copy(), "column": m[:, 2:3].copy(),
        "p": m.reshape(1, 2, 3, 4).copy(),
    }  # fmt: skip


def convert_array(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts an array to another type; values out of range wrap round, or become infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return (array.astype(np.int64) if dtype.kind in "iu" else array).astype(dtype)


class Values:
    """Values of a function by name, and graph ops by name: `v.add(v.x, v.y)`. Python's numerals as operands
    become constants of the first operand's element type; arrays of f32 become constants of x's. `touched` are
    the names that were read.
    """

    def __init__(self, named: dict[str, ir.Value]) -> None:
        self.named = named
        self.touched: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name in self.named:
            self.touched.add(name)
            return self.named[name]
        return self._builder(name.rstrip("_"))

    def _builder(self, name: str) -> Callable[..., ir.Value]:
        def build(*operands: Any, type: str = "", **attributes: Any) -> ir.Value:
            like = next(operand for operand in operands if isinstance(operand, ir.Value))
            values = [
                operand if isinstance(operand, ir.Value) else self.scalar(operand, like)
                for operand in operands
            ]
            return graph.build(name, values, attributes, _result_type(like, type))

        return build

    def scalar(self, value: Any, like: ir.Value) -> ir.Value:
        """A constant of the element type of `like`."""
        return self._dense(convert_array(np.asarray(value), dtype(like)))

    def constant(self, array: Any) -> ir.Value:
        given = np.asarray(array)
        return self._dense(convert_array(given, dtype(self.x)) if given.dtype == np.float32 else given)

    def _dense(self, array: np.ndarray) -> ir.Value:
        return graph.build("constant", [], {"value": array})

    def full(self, value: float, *shape: int) -> ir.Value:
        type_ = ir.RankedTensorType.get(shape, graph.element_type(self.x))
        element = convert_array(np.asarray(value), dtype(self.x)).item()
        return graph.build("full", [], {"value": element}, type_)

    def reduce(self, name: str, x: ir.Value, *axes: int, keepdims: bool = True) -> ir.Value:
        return graph.build(f"reduce_{name}", [x], {"axes": axes, "keepdims": keepdims})

    def part(self, x: ir.Value, starts: Any, sizes: Any, steps: Any = None) -> ir.Value:
        fields = {"starts": starts, "sizes": sizes, "steps": steps or [1] * len(starts)}
        return graph.build("slice", [x], fields)


def _result_type(like: ir.Value, element: str) -> ir.Type | None:
    """The type of `like` with other elements."""
    return ir.RankedTensorType.get(like.type.shape, ir.Type.parse(element)) if element else None
