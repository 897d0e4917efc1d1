"""Kernels written in Python: tensor expressions and explicit loop nests, on NumPy arrays and in graphs."""

from mlc.kernels.elements import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from mlc.kernels.errors import KernelFailure
from mlc.kernels.expressions import (
    axis,
    ceil,
    cos,
    erf,
    exp,
    floor,
    log,
    log1p,
    max,
    maximum,
    min,
    minimum,
    prod,
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    sum,
    tanh,
    where,
)
from mlc.kernels.markers import block, buffer
from mlc.kernels.python_kernel import Kernel, kernel
from mlc.kernels.signature import Output, Tensor
from mlc.kernels.sizes import dims
from mlc.kernels.tensors.compute import compute
from mlc.kernels.tensors.expression import expression

__all__ = [
    "Kernel",
    "KernelFailure",
    "Output",
    "Tensor",
    "axis",
    "bf16",
    "block",
    "buffer",
    "ceil",
    "compute",
    "cos",
    "dims",
    "erf",
    "exp",
    "expression",
    "f16",
    "f32",
    "f64",
    "floor",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "log",
    "log1p",
    "max",
    "maximum",
    "min",
    "minimum",
    "prod",
    "rsqrt",
    "sigmoid",
    "sin",
    "sqrt",
    "sum",
    "tanh",
    "where",
]
