"""Kernels written in Python: tensor expressions and explicit loop nests, on NumPy arrays and in graphs."""

from mlc.kernels.builtin_functions import (
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
from mlc.kernels.elements import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from mlc.kernels.errors import KernelError
from mlc.kernels.graphs.graph_function import GraphFunction, graph_function
from mlc.kernels.graphs.graph_tensors import ops
from mlc.kernels.loop_markers import block, buffer
from mlc.kernels.onnx_operator import register_onnx_operator
from mlc.kernels.python_kernel import Kernel, kernel
from mlc.kernels.signature import Output, Tensor
from mlc.kernels.sizes import dims
from mlc.kernels.tensors.compute import compute
from mlc.kernels.tensors.expression import expression

__all__ = [
    "GraphFunction",
    "Kernel",
    "KernelError",
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
    "graph_function",
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
    "ops",
    "prod",
    "register_onnx_operator",
    "rsqrt",
    "sigmoid",
    "sin",
    "sqrt",
    "sum",
    "tanh",
    "where",
]
