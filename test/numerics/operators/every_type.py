"""One node per operator that its schema allows in an element type, with operands of that type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper
from pieces import Pieces

OPSET = 25
# Strings have no arithmetic.
LEFT_OUT = {"string"}
_TYPES = {
    "float": "float32", "double": "float64", "bfloat16": "bfloat16", "bool": "bool",
    "float8e4m3fn": "float8_e4m3fn", "float8e4m3fnuz": "float8_e4m3fnuz", "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz", "float8e8m0": "float8_e8m0fnu", "float4e2m1": "float4_e2m1fn",
}  # fmt: skip
EVERY_TYPE = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool int4 uint4 int2 "
    "uint2 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn "
    "complex64 complex128"
).split()


def allowed_types(op: str, index: int = 0) -> set[str]:
    """The NumPy (or ml_dtypes) names of the types that an operator's input may have."""
    schema = onnx.defs.get_schema(op, OPSET)
    variable = schema.inputs[index].type_str
    names = next(c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == variable)
    found = {name[len("tensor(") : -1] for name in names if name.startswith("tensor(")}
    return {_TYPES.get(name, name) for name in found - LEFT_OUT}


class Operands:
    """Arrays of one type; values are small enough that sums and products of a few stay in range."""

    def __init__(self, name: str) -> None:
        self.dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
        self.rng = np.random.default_rng(5)
        self.name = name

    def _whole(self, shape: tuple[int, ...], low: int, high: int) -> np.ndarray:
        info = np.array([low, high])
        if self.name.startswith("u") or self.name in ("bool", "float8_e8m0fnu"):
            info = np.maximum(info, 0 if self.name != "float8_e8m0fnu" else 1)
        limit = {"int2": 1, "uint2": 3, "bool": 1}.get(self.name, 7)
        return self.rng.integers(info[0], min(info[1], limit) + 1, shape)

    def any(self, *shape: int) -> np.ndarray:
        """Numbers of both signs, where the type has them, and with two parts."""
        low = {"int2": -2}.get(self.name, -5)
        elements = self._whole(shape, low, 6)
        if self.dtype.kind == "c":
            return (elements + 1j * self._whole(shape, low, 6)).astype(self.dtype)
        return elements.astype(self.dtype)

    def positive(self, *shape: int) -> np.ndarray:
        return np.maximum(self._whole(shape, 1, 4), 1).astype(self.dtype)

    def fraction(self, *shape: int) -> np.ndarray:
        """Random values in (-1, 1), floats only."""
        return (self.rng.integers(-7, 8, shape) / 8).astype(self.dtype)


Make = Callable[[Operands], list[Any]]
UNARY = (
    "Abs Neg Sign Relu Exp Sqrt Floor Ceil Round Erf Sigmoid Softplus Softsign Tanh Sin Cos Atan Asinh Sinh "
    "Cosh Identity IsNaN Elu Selu Celu LeakyRelu HardSigmoid HardSwish ThresholdedRelu Gelu Mish Swish "
    "Shrink Not BitwiseNot"
).split()
POSITIVE = "Log Reciprocal Sqrt Acosh".split()
FRACTION = "Asin Acos Atanh Tan".split()
BINARY = "Add Sub Mul Max Min Equal Less LessOrEqual Greater GreaterOrEqual PRelu Sum Mean".split()
LOGIC = "And Or Xor BitwiseAnd BitwiseOr BitwiseXor".split()
REDUCTIONS = "Sum Mean Max Min Prod L1 L2 LogSumExp SumSquare".split()

CASES: list[tuple[str, str, Make, dict[str, Any]]] = [
    *((op, op, lambda t: [t.any(5, 7)], {}) for op in UNARY),
    *((f"{op}_positive", op, lambda t: [t.positive(5, 7)], {}) for op in POSITIVE),
    *((op, op, lambda t: [t.fraction(5, 7)], {}) for op in FRACTION),
    *((op, op, lambda t: [t.any(5, 7), t.any(7)], {}) for op in (*BINARY, *LOGIC)),
    ("Div", "Div", lambda t: [t.any(5, 7), t.positive(7)], {}),
    ("Mod", "Mod", lambda t: [t.any(5, 7), t.positive(7)], {}),
    ("fmod", "Mod", lambda t: [t.any(5, 7), t.positive(7)], {"fmod": 1}),
    ("Pow", "Pow", lambda t: [t.positive(5, 7), t.positive(7)], {}),
    ("Clip", "Clip", lambda t: [t.any(5, 7), t.positive(), t.positive()], {}),
    ("left", "BitShift", lambda t: [t.any(5, 7), t.positive(7)], {"direction": "LEFT"}),
    ("right", "BitShift", lambda t: [t.any(5, 7), t.positive(7)], {"direction": "RIGHT"}),
    *((f"Reduce{n}", f"Reduce{n}", lambda t: [t.any(3, 4, 5), [1]], {}) for n in REDUCTIONS),
    *((f"Rows{n}", f"Reduce{n}", lambda t: [t.any(3, 19), [1]], {}) for n in ("Max", "Min", "Sum")),
    ("ReduceLogSum", "ReduceLogSum", lambda t: [t.positive(3, 4, 5), [1]], {}),
    ("ArgMax", "ArgMax", lambda t: [t.any(5, 7)], {"axis": 1}),
    ("ArgMin", "ArgMin", lambda t: [t.any(5, 7)], {"axis": 0, "select_last_index": 1}),
    ("CumSum", "CumSum", lambda t: [t.any(5, 7), np.int64(1)], {}),
    ("MatMul", "MatMul", lambda t: [t.any(5, 7), t.any(7, 3)], {}),
    ("Gemm", "Gemm", lambda t: [t.any(5, 7), t.any(3, 7), t.any(3)], {"transB": 1}),
    ("Einsum", "Einsum", lambda t: [t.any(5, 7), t.any(7, 3)], {"equation": "ij,jk->ki"}),
    ("Conv", "Conv", lambda t: [t.any(1, 2, 6, 6), t.any(3, 2, 3, 3)], {"pads": [1, 1, 1, 1]}),
    ("MaxPool", "MaxPool", lambda t: [t.any(1, 2, 6, 6)], {"kernel_shape": [3, 3]}),
    ("AveragePool", "AveragePool", lambda t: [t.any(1, 2, 6, 6)], {"kernel_shape": [2, 2]}),
    ("GlobalMaxPool", "GlobalMaxPool", lambda t: [t.any(1, 2, 6, 6)], {}),
    ("Softmax", "Softmax", lambda t: [t.any(5, 7)], {}),
    ("LogSoftmax", "LogSoftmax", lambda t: [t.any(5, 7)], {}),
    ("Hardmax", "Hardmax", lambda t: [t.any(5, 7)], {}),
    ("LayerNormalization", "LayerNormalization", lambda t: [t.any(5, 7), t.positive(7)], {}),
    ("LpNormalization", "LpNormalization", lambda t: [t.positive(5, 7)], {"axis": 1}),
    ("Concat", "Concat", lambda t: [t.any(5, 7), t.any(5, 2)], {"axis": 1}),
    ("Expand", "Expand", lambda t: [t.any(5, 1), [5, 3]], {}),
    ("Tile", "Tile", lambda t: [t.any(5, 2), [2, 3]], {}),
    ("Transpose", "Transpose", lambda t: [t.any(5, 7)], {"perm": [1, 0]}),
    ("Reshape", "Reshape", lambda t: [t.any(5, 6), [3, 10]], {}),
    ("Flatten", "Flatten", lambda t: [t.any(2, 3, 4)], {}),
    ("Squeeze", "Squeeze", lambda t: [t.any(2, 1, 4), [1]], {}),
    ("Unsqueeze", "Unsqueeze", lambda t: [t.any(2, 4), [1]], {}),
    ("Slice", "Slice", lambda t: [t.any(5, 7), [6], [0], [1], [-2]], {}),
    ("Pad", "Pad", lambda t: [t.any(3, 4), [1, 0, 0, 2]], {}),
    ("edge", "Pad", lambda t: [t.any(3, 4), [1, 0, 0, 2]], {"mode": "edge"}),
    ("Gather", "Gather", lambda t: [t.any(5, 7), [4, 0, -1]], {}),
    ("GatherElements", "GatherElements", lambda t: [t.any(3, 2), [[0, 1], [2, 0]]], {}),
    ("Trilu", "Trilu", lambda t: [t.any(4, 5)], {}),
    ("DepthToSpace", "DepthToSpace", lambda t: [t.any(1, 8, 2, 3)], {"blocksize": 2}),
    ("SpaceToDepth", "SpaceToDepth", lambda t: [t.any(1, 2, 4, 6)], {"blocksize": 2}),
]
# The type has no zero to pad with; the reference pads with NaN, which no integer is; the operators are of
# floats alone in later versions, and in the reference.
LEFT_OUT_PAIRS = {("float8_e8m0fnu", "Pad"), ("int8", "MaxPool")}
LEFT_OUT_PAIRS |= {
    (name, f"ReduceLogSum{more}") for name in EVERY_TYPE for more in ("", "Exp") if "int" in name
}
PREDICATES = {"IsNaN", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}
POSITIONS = {"ArgMax", "ArgMin"}


def result_type(op: str, name: str) -> int:
    if op in PREDICATES:
        return TensorProto.BOOL
    if op in POSITIONS:
        return TensorProto.INT64
    return helper.np_dtype_to_tensor_dtype(np.dtype(getattr(ml_dtypes, name, None) or name))


def _convert(value: Any, old: np.dtype, new: np.dtype) -> Any:
    return value.astype(new) if hasattr(value, "dtype") and value.dtype == old else value


def nodes_of(name: str, as_name: str | None = None) -> Pieces:
    """Every case whose schema allows the type `name`; its values as those of the type `as_name`."""
    pieces, operands = Pieces(OPSET), Operands(name)
    other = np.dtype(as_name) if as_name else operands.dtype
    for label, op, make, attributes in CASES:
        if name not in allowed_types(op) or (name, op) in LEFT_OUT_PAIRS:
            continue
        values = [_convert(v, operands.dtype, other) for v in make(operands)]
        pieces.add(label, op, *values, out=result_type(op, as_name or name), **attributes)
    where = np.arange(7) % 2 == 0
    if name in allowed_types("Where", 1):
        values = [operands.any(5, 7).astype(other), operands.any(7).astype(other)]
        pieces.add("Where", "Where", where, *values, out=result_type("Where", as_name or name))
    return pieces
