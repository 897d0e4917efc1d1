"""ONNX operators that NumPy and torch write the same way: functions of the attributes and the operands."""

from __future__ import annotations

from typing import Any

from bench.operator_graph import Attributes, Operator, elementwise, reshaped_extents


def _reshape(_: Attributes, x: Any, shape: Any) -> Any:
    return x.reshape(reshaped_extents(x.shape, shape))


def _gemm(a: Attributes, x: Any, y: Any, z: Any = None) -> Any:
    product = (x.T if a.get("transA") else x) @ (y.T if a.get("transB") else y)
    product = product * a["alpha"] if a.get("alpha", 1.0) != 1.0 else product
    return product if z is None else product + (z if a.get("beta", 1.0) == 1.0 else z * a["beta"])


COMMON: dict[str, Operator] = {
    "Add": elementwise(lambda x, y: x + y),
    "And": elementwise(lambda x, y: x & y),
    "Div": elementwise(lambda x, y: x / y),
    "Gemm": _gemm,
    "MatMul": elementwise(lambda x, y: x @ y),
    "Mul": elementwise(lambda x, y: x * y),
    "Pow": elementwise(lambda x, y: x**y),
    "Reshape": _reshape,
    "Sub": elementwise(lambda x, y: x - y),
}
