"""Functions of math, LLVM's intrinsics and the GPU's approximations, all computed in f32 or better."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..decode import Op
from ..errors import UnknownOp
from ..registry import INTRINSICS, intrinsic, op
from ..unit import Unit
from ..values import Value

Function = Callable[[np.ndarray], np.ndarray]


def _erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


_FUNCTIONS: dict[str, Function] = {
    "math.exp2 llvm.intr.exp2 nvvm.ex2": np.exp2,
    "math.exp llvm.intr.exp": np.exp,
    "math.expm1": np.expm1,
    "math.log2 llvm.intr.log2 nvvm.log2": np.log2,
    "math.log llvm.intr.log": np.log,
    "math.log1p": np.log1p,
    "math.sqrt llvm.intr.sqrt nvvm.sqrt nvvm.sqrt.approx": np.sqrt,
    "math.rsqrt nvvm.rsqrt nvvm.rsqrt.approx": lambda x: 1 / np.sqrt(x),
    "nvvm.rcp.approx.ftz.f": lambda x: 1 / x,
    "math.sin llvm.intr.sin nvvm.sin": np.sin,
    "math.cos llvm.intr.cos nvvm.cos": np.cos,
    "math.tanh llvm.intr.tanh": np.tanh,
    "math.erf": _erf,
    "math.absf llvm.intr.fabs": np.abs,
    "math.floor llvm.intr.floor": np.floor,
    "math.ceil llvm.intr.ceil": np.ceil,
    "math.trunc llvm.intr.trunc": np.trunc,
    "math.roundeven llvm.intr.roundeven llvm.intr.rint": np.rint,
}
_INTRINSICS: dict[str, Function] = {
    "llvm.nvvm.ex2.approx.f llvm.nvvm.ex2.approx.ftz.f": np.exp2,
    "llvm.nvvm.lg2.approx.f llvm.nvvm.lg2.approx.ftz.f": np.log2,
    "llvm.nvvm.rcp.approx.ftz.f llvm.nvvm.rcp.rn.f": lambda x: 1 / x,
    "llvm.nvvm.rsqrt.approx.f llvm.nvvm.rsqrt.approx.ftz.f": lambda x: 1 / np.sqrt(x),
    "llvm.nvvm.sqrt.approx.f llvm.nvvm.sqrt.approx.ftz.f llvm.nvvm.sqrt.rn.f": np.sqrt,
    "llvm.nvvm.tanh.approx.f": np.tanh,
}


def _round_result(function: Function) -> Callable[..., np.ndarray]:
    """A handler that computes in f64 and rounds to the operand's type."""

    def handler(unit: Unit, op: Op, value: np.ndarray) -> np.ndarray:
        return function(value.astype(np.float64)).astype(value.dtype)

    return handler


for _names, _function in _FUNCTIONS.items():
    op(*_names.split())(_round_result(_function))
for _names, _function in _INTRINSICS.items():
    intrinsic(*_names.split())(_round_result(_function))


@op("llvm.call_intrinsic")
def _call_intrinsic(unit: Unit, op: Op, *values: Value) -> Value:
    name = op.attributes["intrin"]
    if name not in INTRINSICS:
        raise UnknownOp(f"the emulator has no function for the intrinsic {name}")
    return INTRINSICS[name](unit, op, *values)


@op("math.copysign", "llvm.intr.copysign")
def _copysign(unit: Unit, op: Op, value: np.ndarray, sign: np.ndarray) -> np.ndarray:
    return np.copysign(value.astype(np.float64), sign.astype(np.float64)).astype(value.dtype)


@op("nvvm.convert.float.to.tf32")
def _to_tf32(unit: Unit, op: Op, value: np.ndarray) -> np.ndarray:
    """Rounds to the nearest value with 10 bits after the point, ties away from zero (rna)."""
    return (value.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
