"""Ranges of constants: whether constants that a rule combines stay normal values, so that no infinity and no
zero is compiled into a program that had none.

Constants in the IR are known; weights, which are not, are assumed to be in the inner half of the range that
the exponents of their type span.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.op_families import VIEWS
from mlc.passes.graph.common.values import constant_array, dtype, is_float, is_static
from mlc.passes.remarks import report_missed

# Arithmetic that NumPy does exactly as the compiled op would.
FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    graph.Add.NAME: np.add,
    graph.Sub.NAME: np.subtract,
    graph.Mul.NAME: np.multiply,
    graph.Div.NAME: np.divide,
    graph.Neg.NAME: np.negative,
    graph.Abs.NAME: np.abs,
    graph.Sqrt.NAME: np.sqrt,
    graph.Reciprocal.NAME: np.reciprocal,
}
_DEPTH = 8


def known_values(value: ir.Value, depth: int = _DEPTH) -> np.ndarray | None:
    """The numbers of a constant, of a fill, and of arithmetic on such, as an array of the value's rank that
    broadcasts to its shape; None of weights and variables."""
    op = defining_op(value)
    if op is None or depth == 0 or not is_static(value):
        return None
    if op.name == graph.Constant.NAME:
        return constant_array(value)
    if op.name == graph.Full.NAME:
        return np.full([1] * value.type.rank, graph.Full(op).value, dtype(value))
    if op.name not in FUNCTIONS and op.name not in VIEWS:
        return None
    operands = [
        array for array in (known_values(operand, depth - 1) for operand in op.operands) if array is not None
    ]
    if len(operands) < len(op.operands):
        return None
    if op.name in VIEWS:
        array = operands[0]
        return array.reshape([1] * value.type.rank if array.size == 1 else value.type.shape)
    with np.errstate(all="ignore"):
        return np.asarray(FUNCTIONS[op.name](*operands), dtype(value))


def stays_normal(
    name: str, one: np.ndarray | None, other: np.ndarray | None, element_dtype: np.dtype
) -> bool:
    """Whether the op `name` (add, sub, mul, div) of two constants of a type of floats gives normal values.

    Of two that are known (arrays that broadcast) this is computed. A factor of weights (None) must be near
    enough to 1, an offset small enough, to leave ordinary weights ordinary. Of two weights it is taken for
    granted, but not in f16, whose range is small. Integers wrap round: any order is right.
    """
    if element_dtype.kind in "iub":
        return True
    if one is not None and other is not None:
        return _is_normal(name, one, other, element_dtype)
    values, span = (other if one is None else one), int(ml_dtypes.finfo(element_dtype).maxexp)  # type: ignore[no-untyped-call]  # NumPy's knows no bfloat16
    if values is None:
        return span > int(np.finfo(np.float16).maxexp)
    size, limit = abs(values.astype(np.float64)), 2.0 ** (span // 2 - 4)
    if name in (graph.Add.NAME, graph.Sub.NAME):
        return bool((size <= limit).all())
    near = (size >= 1 / limit) & (size <= limit)
    return bool((near | (size == 0) if name == graph.Mul.NAME else near).all())


def _is_normal(name: str, one: np.ndarray, other: np.ndarray, element_dtype: np.dtype) -> bool:
    """Whether the result, rounded once, is finite and, of products, normal or exactly 0."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    with np.errstate(all="ignore"):
        rounded = FUNCTIONS[name](a, b).astype(element_dtype).astype(np.float64)
    if name in (graph.Add.NAME, graph.Sub.NAME):
        return bool(np.isfinite(rounded).all())
    smallest = float(ml_dtypes.finfo(element_dtype).smallest_normal)  # type: ignore[no-untyped-call]  # as above
    zero = (a == 0) & np.isfinite(b) & (rounded == 0) | (b == 0) & (rounded == 0)
    return bool((np.isfinite(rounded) & (abs(rounded) >= smallest) | zero).all())


def meet_safely(op: ir.Operation, rule: str, name: str, one: ir.Value, other: ir.Value) -> bool:
    """Whether the op `name` of two constants that broadcast gives normal values; reports that `rule` leaves
    `op` where it does not."""
    if not is_float(one) or stays_normal(name, known_values(one), known_values(other), dtype(one)):
        return True
    report_missed(op, rule, leaves_range(one))
    return False


def leaves_range(constant: ir.Value) -> str:
    """Returns the reason why constants are not combined."""
    return f"the two constants together could leave the range of {graph.element_type(constant)}"
