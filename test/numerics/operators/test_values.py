"""Elementwise operators at the edges: NaN, infinities, zeros of both signs, denormals, large values."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto
from oracle import compile_model, reference
from pieces import Pieces

TINY = np.finfo(np.float32).tiny
EDGES = np.array(
    [
        np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 1e-40, -1e-40, TINY, -TINY, 1e-20, -1e-20,
        1e-7, -1e-7, 0.25, -0.25, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 3.92, 4.5, -4.5,
        6.0, -6.0, 9.1, -9.1, 20.0, -20.0, 87.0, -87.0, 88.72, 88.73, -103.0, -104.0, 127.0, 1e4, -1e4,
        8388609.0, -8388607.5, 1e10, -1e10, 1e20, -1e20, 1e38, -1e38, 3.4028235e38, -3.4028235e38,
    ],
    np.float32,
)  # fmt: skip
UNARY = (
    "Abs Neg Exp Log Sqrt Reciprocal Floor Ceil Round Sign Erf Sigmoid Relu Softplus HardSwish Identity Elu "
    "Selu Celu LeakyRelu ThresholdedRelu HardSigmoid Gelu Mish Softsign Tanh Sin Cos Tan Asin Acos Atan Sinh "
    "Cosh Asinh Acosh Atanh"
).split()
# Their sign of zero is part of the answer.
SIGNED_ZERO = (
    "Abs",
    "Neg",
    "Floor",
    "Ceil",
    "Round",
    "Sqrt",
    "Identity",
    "Tanh",
    "Sin",
    "Atan",
    "Asinh",
    "Sinh",
    "Erf",
)
# libm's arguments: past this no single-precision function reduces the argument well.
TRIGONOMETRIC = {"Sin": 1e4, "Cos": 1e4, "Tan": 1e4}
BINARY = ("Add", "Sub", "Mul", "Div", "Pow", "Min", "Max")
COMPARISONS = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
RELATIVE = 1e-5


def wrong_elements(actual: np.ndarray, expected: np.ndarray, inputs: list[np.ndarray]) -> list[str]:
    """Elements off by more than RELATIVE * max(1, |b|), each with its operands. NaN and infinities must
    be equal."""
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= RELATIVE * np.maximum(1.0, np.abs(b))
    right = close | (a == b) | (np.isnan(a) & np.isnan(b))
    return [
        f"f({', '.join(str(array[i]) for array in inputs)}) = {actual[i]} instead of {expected[i]}"
        for i in np.flatnonzero(~right)
    ]


@pytest.fixture(scope="module")
def unary() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Actual and expected values of every unary operator on EDGES."""
    pieces = Pieces(opset=22)
    pieces.input("x", EDGES)
    for op in UNARY:
        pieces.add(op, op, "x")
    return compile_model(pieces.model()).run(pieces.inputs), reference(pieces.model(), pieces.inputs)


@pytest.mark.parametrize("op", UNARY)
def test_unary_operator_at_the_edges(op: str, unary: tuple[dict[str, np.ndarray], ...]) -> None:
    actual, expected = unary
    wanted = np.abs(EDGES) <= TRIGONOMETRIC.get(op, np.inf)
    wanted |= ~np.isfinite(EDGES)
    assert not wrong_elements(actual[op][wanted], expected[op][wanted], [EDGES[wanted]])


@pytest.mark.parametrize("op", SIGNED_ZERO)
def test_sign_of_zero(op: str, unary: tuple[dict[str, np.ndarray], ...]) -> None:
    actual, expected = unary
    zeros = EDGES == 0
    assert np.array_equal(np.signbit(actual[op][zeros]), np.signbit(expected[op][zeros]))


@pytest.fixture(scope="module")
def binary() -> tuple[list[np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Operands (all pairs of EDGES), actual and expected values of every binary operator."""
    pieces = Pieces()
    pairs = [np.repeat(EDGES, len(EDGES)), np.tile(EDGES, len(EDGES))]
    for name, values in zip("ab", pairs, strict=True):
        pieces.input(name, values)
    for op in BINARY:
        pieces.add(op, op, "a", "b")
    for op in COMPARISONS:
        pieces.add(op, op, "a", "b", out=TensorProto.BOOL)
    pieces.add("Mod", "Mod", "a", "b", fmod=1)
    pieces.add("PRelu", "PRelu", "a", "b")
    return pairs, compile_model(pieces.model()).run(pieces.inputs), reference(pieces.model(), pieces.inputs)


@pytest.mark.parametrize("op", (*BINARY, "Mod", "PRelu"))
def test_binary_operator_at_the_edges(op: str, binary: tuple) -> None:
    pairs, actual, expected = binary
    # The reference multiplies zeros by the slope too, which the operator does not.
    asked = pairs[0] != 0 if op == "PRelu" else np.full(len(pairs[0]), True)
    assert not wrong_elements(actual[op][asked], expected[op][asked], [pair[asked] for pair in pairs])


@pytest.mark.parametrize("op", COMPARISONS)
def test_comparison_at_the_edges(op: str, binary: tuple) -> None:
    _, actual, expected = binary
    assert np.array_equal(actual[op], expected[op])


INTEGERS = {
    "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int16": TensorProto.INT16,
    "uint16": TensorProto.UINT16,
    "int32": TensorProto.INT32, "uint32": TensorProto.UINT32, "int64": TensorProto.INT64,
    "uint64": TensorProto.UINT64,
}  # fmt: skip


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_arithmetic_wraps_around(dtype: str) -> None:
    info = np.iinfo(dtype)
    edges = np.array(
        [info.min, info.min + 1, 0, 1, 2, 3, 7, 100, info.max - 1, info.max, info.max // 2], dtype
    )
    pieces = Pieces()
    a = pieces.input("a", np.repeat(edges, len(edges)))
    b = pieces.input("b", np.tile(edges, len(edges)))
    for op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        pieces.add(op, op, a, b, out=INTEGERS[dtype])
    for op in COMPARISONS:
        pieces.add(op, op, a, b, out=TensorProto.BOOL)
    pieces.add("Mod", "Mod", a, b, out=INTEGERS[dtype])
    for op in ("Abs", "Sign", "BitwiseNot"):
        pieces.add(op, op, a, out=INTEGERS[dtype])
    pieces.add("Float", "Cast", a, out=TensorProto.FLOAT, to=TensorProto.FLOAT)
    for name, value in INTEGERS.items():
        pieces.add(f"to_{name}", "Cast", a, out=value, to=value)
    # Integers divided by 0 give 0 in a program without checks.
    actual = compile_model(pieces.model(), unchecked_indices=True).run(pieces.inputs)
    with np.errstate(all="ignore"):
        a_, b_ = pieces.inputs["a"], pieces.inputs["b"]
        exact = {
            "Add": a_ + b_, "Sub": a_ - b_, "Mul": a_ * b_, "Min": np.minimum(a_, b_),
            "Max": np.maximum(a_, b_),
            "Div": _quotient(a_, b_), "Mod": np.mod(a_, b_), "Abs": np.abs(a_), "Sign": np.sign(a_),
            "BitwiseAnd": a_ & b_, "BitwiseOr": a_ | b_, "BitwiseXor": a_ ^ b_, "BitwiseNot": ~a_,
            "Equal": a_ == b_, "Less": a_ < b_, "LessOrEqual": a_ <= b_, "Greater": a_ > b_,
            "GreaterOrEqual": a_ >= b_,
            "Float": a_.astype(np.float32),
        } | {f"to_{name}": a_.astype(name) for name in INTEGERS}  # fmt: skip
    wrong = [name for name, expected in exact.items() if not np.array_equal(actual[name], expected)]
    assert not wrong


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rounds towards zero; 0 where b is 0, wrapped around for the lowest value by -1."""
    wide = [int(x) // int(y) if y else 0 for x, y in zip(a, b, strict=True)]
    exact = [q + (q < 0 and q * int(y) != int(x)) for q, x, y in zip(wide, a, b, strict=True)]
    bits = 8 * a.itemsize
    return (
        np.array([value % (1 << bits) for value in exact], np.uint64).astype(f"u{a.itemsize}").astype(a.dtype)
    )


def test_logarithms_of_sums_of_infinite_exponentials() -> None:
    """The largest element, by which exponents are shifted, is infinite."""
    x = np.array([[1, 2, 3], [np.inf, 1, 2], [-np.inf] * 3, [-np.inf, 1, np.inf], [np.nan, np.inf, 0]])
    pieces = Pieces()
    pieces.add("sums", "ReduceLogSumExp", pieces.input("x", x.astype(np.float32)), [1], keepdims=0)
    found = compile_model(pieces.model()).run(pieces.inputs)["sums"]
    np.testing.assert_allclose(found, [3.407606, np.inf, -np.inf, np.inf, np.nan], rtol=1e-6)
