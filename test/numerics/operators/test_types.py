"""Arithmetic in f16, bf16 and f64; the narrow types are compared with f32 on the same values, rounded."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto
from oracle import compile_model, differences, reference, runtime
from pieces import Pieces

UNARY = "Exp Log Sqrt Tanh Erf Sigmoid Gelu Neg Abs Floor Relu Sin Softplus Reciprocal".split()
BINARY = "Add Sub Mul Div Max Min Pow".split()
# An epsilon of 1e-5 is an f32 in the model.
F64_TOLERANCE = 1e-12


def fill(pieces: Pieces, dtype: np.dtype, scales: np.dtype) -> None:
    """Adds the same pieces with equal values for every type; normalisations' scales have type `scales`."""
    rng = np.random.default_rng(3)

    def random(*shape: int, low: float = -2.0) -> np.ndarray:
        # Values that every type holds.
        return rng.uniform(low, 2, shape).astype(ml_dtypes.bfloat16).astype(np.float16).astype(dtype)

    for op in UNARY:
        pieces.add(op, op, random(3, 33, low=0.1 if op in ("Log", "Sqrt", "Reciprocal") else -2.0))
    for op in BINARY:
        pieces.add(op, op, random(5, 17, low=0.25), random(17, low=0.25))
    pieces.add("less", "Less", random(7), random(7), out=TensorProto.BOOL)
    pieces.add("where", "Where", random(7) > 0, random(7), random(7), out=onnx_type_of(dtype))
    pieces.add("matmul", "MatMul", random(17, 33), random(33, 35))
    pieces.add("matmul_wide", "MatMul", random(13, 64), random(64, 64))
    pieces.add("batched", "MatMul", random(2, 3, 5), random(2, 5, 7))
    pieces.add("conv", "Conv", random(1, 3, 9, 9), random(8, 3, 3, 3), pads=[1, 1, 1, 1])
    pieces.add("max_pool", "MaxPool", random(1, 3, 9, 9), kernel_shape=[3, 3])
    pieces.add("average_pool", "AveragePool", random(1, 3, 9, 9), kernel_shape=[3, 3])
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"):
        pieces.add(op, op, random(5, 33), [np.int64(1)])
    pieces.add("softmax", "Softmax", random(5, 33))
    pieces.add("transpose", "Transpose", random(5, 33), perm=[1, 0])
    pieces.add("concat", "Concat", random(5, 3), random(5, 4), axis=1)
    pieces.add("cumsum", "CumSum", random(3, 7), np.int64(1))
    pieces.add("gather", "Gather", random(5, 3), np.array([1, 4]))
    pieces.add("layer_norm", "LayerNormalization", random(5, 33), random(33).astype(scales))


def onnx_type_of(dtype: np.dtype) -> int:
    return {
        "float16": TensorProto.FLOAT16,
        "bfloat16": TensorProto.BFLOAT16,
        "float64": TensorProto.DOUBLE,
    }.get(dtype.name, TensorProto.FLOAT)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_narrow_floats_are_computed_in_f32(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    narrow, single = Pieces(), Pieces()
    fill(narrow, dtype, dtype)
    fill(single, np.dtype(np.float32), np.dtype(np.float32))
    exact = runtime(single.model(), single.inputs)
    assert exact is not None
    expected = {
        key: array.astype(dtype) if array.dtype == np.float32 else array for key, array in exact.items()
    }
    assert not differences(compile_model(narrow.model()).run(narrow.inputs), expected)


def test_double_precision() -> None:
    pieces = Pieces()
    fill(pieces, np.dtype(np.float64), np.dtype(np.float64))
    expected = reference(pieces.model(), pieces.inputs)
    # The reference rounds these two to f32.
    erf = np.vectorize(math.erf)
    expected["Erf"] = erf(pieces.inputs["Erf.0"])
    expected["Gelu"] = (x := pieces.inputs["Gelu.0"]) / 2 * (1 + erf(x / math.sqrt(2)))
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected, F64_TOLERANCE)
