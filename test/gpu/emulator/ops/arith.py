"""Arithmetic of arith and llvm, elementwise on all lanes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..decode import Op
from ..registry import op
from ..unit import Unit
from ..values import Value, as_signed, bits, fill, garbage

Arrays = Callable[..., np.ndarray]


def _on_results(function: Arrays) -> Callable[..., np.ndarray]:
    """A handler that applies `function` to the operands, and gives the result the op's type."""

    def handler(unit: Unit, op: Op, *values: np.ndarray) -> np.ndarray:
        return function(*values).astype(op.result_types[0].dtype, copy=False)

    return handler


def _on_signed(function: Arrays) -> Arrays:
    """Returns `function` on integers read as signed."""

    def on_signed(*values: np.ndarray) -> np.ndarray:
        result = function(*map(as_signed, values))
        return result if result.dtype == np.bool_ else bits(result)

    return on_signed


def _select(condition: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """One condition for each lane may choose among vectors."""
    return np.where(condition.reshape(*condition.shape, *(1,) * (one.ndim - condition.ndim)), one, other)


def _guard_divisor(function: Arrays) -> Arrays:
    """`function` with divisors of zero, which inactive lanes may have, replaced by one."""
    return lambda a, b: function(a, np.where(b == 0, np.ones_like(b), b))


def _truncated_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient = np.abs(a) // np.abs(b)
    return np.where((a < 0) != (b < 0), -quotient, quotient)


def _truncated_remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a - b * _truncated_quotient(a, b)


def _ceiling_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a // b + (a % b != 0).astype(a.dtype)


def _double(function: Arrays) -> Arrays:
    """`function` in f64, rounded once: what a fused operation does, but for double rounding."""
    return lambda *values: function(*(value.astype(np.float64) for value in values))


_ELEMENTWISE: dict[str, Arrays] = {
    "arith.addi llvm.add index.add": np.add,
    "arith.subi llvm.sub index.sub": np.subtract,
    "arith.muli llvm.mul index.mul": np.multiply,
    "arith.andi llvm.and index.and": np.bitwise_and,
    "arith.ori llvm.or index.or": np.bitwise_or,
    "arith.xori llvm.xor index.xor": np.bitwise_xor,
    "arith.shli llvm.shl index.shl": np.left_shift,
    "arith.shrui llvm.lshr index.shru": np.right_shift,
    "arith.shrsi llvm.ashr index.shrs": _on_signed(np.right_shift),
    "arith.divui llvm.udiv index.divu": _guard_divisor(np.floor_divide),
    "arith.remui llvm.urem index.remu": _guard_divisor(np.remainder),
    "arith.divsi llvm.sdiv index.divs": _on_signed(_guard_divisor(_truncated_quotient)),
    "arith.remsi llvm.srem index.rems": _on_signed(_guard_divisor(_truncated_remainder)),
    "arith.floordivsi": _on_signed(_guard_divisor(np.floor_divide)),
    "arith.ceildivui index.ceildivu": _guard_divisor(_ceiling_quotient),
    "arith.ceildivsi index.ceildivs": _on_signed(_guard_divisor(lambda a, b: -(-a // b))),
    "arith.minui llvm.intr.umin": np.minimum,
    "arith.maxui llvm.intr.umax": np.maximum,
    "arith.minsi llvm.intr.smin": _on_signed(np.minimum),
    "arith.maxsi llvm.intr.smax": _on_signed(np.maximum),
    "arith.select llvm.select": _select,
    "arith.addf llvm.fadd": np.add,
    "arith.subf llvm.fsub": np.subtract,
    "arith.mulf llvm.fmul": np.multiply,
    "arith.divf llvm.fdiv": np.divide,
    "arith.remf llvm.frem": np.fmod,
    "arith.negf llvm.fneg": np.negative,
    "arith.maximumf llvm.intr.maximum": np.maximum,
    "arith.minimumf llvm.intr.minimum": np.minimum,
    "arith.maxnumf llvm.intr.maxnum": np.fmax,
    "arith.minnumf llvm.intr.minnum": np.fmin,
    "math.fma llvm.intr.fma llvm.intr.fmuladd vector.fma": _double(lambda a, b, c: a * b + c),
    "arith.extui llvm.zext arith.index_castui index.castu arith.extf llvm.fpext": np.asarray,
    "arith.trunci llvm.trunc arith.truncf llvm.fptrunc": np.asarray,
    "arith.uitofp llvm.uitofp arith.fptoui llvm.fptoui": np.asarray,
    "arith.extsi llvm.sext arith.index_cast index.casts arith.sitofp llvm.sitofp": as_signed,
    "llvm.freeze": np.asarray,
}
for _names, _function in _ELEMENTWISE.items():
    op(*_names.split())(_on_results(_function))


@op("arith.fptosi", "llvm.fptosi")
def _fptosi(unit: Unit, op: Op, value: np.ndarray) -> np.ndarray:
    wide = np.nan_to_num(value.astype(np.float64)).astype(np.int64)
    return wide.astype(op.result_types[0].dtype)


_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


@op("arith.cmpi", "llvm.icmp")
def _cmpi(unit: Unit, op: Op, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    predicate = op.attributes["predicate"]
    if predicate < 2:
        return _COMPARISONS[predicate](a, b)
    if predicate < 6:
        return _COMPARISONS[predicate](as_signed(a), as_signed(b))
    return _COMPARISONS[predicate - 4](a, b)


# Of arith.cmpf's predicates 1 to 6, ordered; 8 to 13 are the unordered ones in the same order.
_FLOAT_COMPARISONS = (None, np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)


@op("arith.cmpf", "llvm.fcmp")
def _cmpf(unit: Unit, op: Op, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    predicate, unordered = op.attributes["predicate"], np.isnan(a) | np.isnan(b)
    if predicate in (0, 15):
        return np.full_like(unordered, predicate == 15)
    if predicate in (7, 14):
        return unordered if predicate == 14 else ~unordered
    compare = _FLOAT_COMPARISONS[predicate if predicate < 7 else predicate - 7]
    assert compare is not None
    return compare(a, b) & ~unordered if predicate < 7 else compare(a, b) | unordered


@op("arith.constant", "llvm.mlir.constant", "index.constant")
def _constant(unit: Unit, op: Op) -> Value:
    if "value" not in op.memo:
        element_type, value = op.result_types[0], op.attributes["value"]
        assert element_type.dtype is not None
        if isinstance(value, np.ndarray):
            op.memo["value"] = value.astype(element_type.dtype)[None]
        elif isinstance(value, int) and element_type.dtype.kind == "u":
            op.memo["value"] = fill(element_type, np.int64(value))
        else:
            op.memo["value"] = fill(element_type, value)
    return op.memo["value"]


@op("llvm.mlir.zero")
def _zero(unit: Unit, op: Op) -> Value:
    return fill(op.result_types[0], 0)


@op("llvm.mlir.undef", "llvm.mlir.poison", "ub.poison")
def _undefined_value(unit: Unit, op: Op) -> Value:
    return garbage(op.result_types[0])


def reinterpret(value: np.ndarray, like: np.dtype) -> np.ndarray:
    """The bits of `value` [lanes, ...] as elements [lanes, n] of another type."""
    raw = np.ascontiguousarray(value).reshape(len(value), -1)
    return raw.view(like)


@op("arith.bitcast", "llvm.bitcast", "vector.bitcast")
def _bitcast(unit: Unit, op: Op, value: np.ndarray) -> np.ndarray:
    element_type = op.result_types[0]
    assert element_type.dtype is not None
    return reinterpret(value, element_type.dtype).reshape(len(value), *element_type.shape)


@op("arith.addui_extended")
def _addui_extended(unit: Unit, op: Op, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    total = a + b
    return [total, total < a]
