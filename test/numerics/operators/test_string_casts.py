"""Casts between strings and numeric types against Python and NumPy, in ONNX's forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from node_groups import Case, wrong_cases
from onnx import TensorProto, helper
from oracle import compile_model

from mlc.runtime import Executable

RNG = np.random.default_rng(0)
STRING = TensorProto.STRING
NUMERALS = "1 -2.5 1e5 +INF -inf nAn 1E-3 .5 5. -0 123456789012345678901234567890 1e-400 1e400".split()
FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)


def texts(*values: str) -> np.ndarray:
    return np.array(values, object)


def case(x: np.ndarray, onnx_type: int, wanted: Sequence[Any], dtype: Any = object) -> Case:
    return Case(
        "Cast", [x], {"to": onnx_type}, [onnx_type], expected=lambda _: [np.array(wanted).astype(dtype)]
    )


def floats(onnx_type: int) -> Case:
    values = [*(float(text) for text in NUMERALS), 7.0]
    return case(texts(*NUMERALS, " 7\n"), onnx_type, values, helper.tensor_dtype_to_np_dtype(onnx_type))


def integers(dtype: Any) -> np.ndarray:
    return np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 7], dtype)


CASES = (
    {f"to {onnx_type}": floats(onnx_type) for onnx_type in FLOATS}
    | {
        "to i64": case(
            texts("9223372036854775807", "-9223372036854775808", "100.5", "-7.9", "1e3", " 12 "),
            TensorProto.INT64,
            [2**63 - 1, -(2**63), 100, -7, 1000, 12],
            np.int64,
        ),
        "to u64": case(
            texts("18446744073709551615", "0", "100.5", "1e19", "-0"),
            TensorProto.UINT64,
            [np.uint64(value) for value in (2**64 - 1, 0, 100, 10**19, 0)],
            np.uint64,
        ),
        "to i8": case(texts("0", "-5"), TensorProto.INT8, [0, -5], np.int8),
        "to bool": case(texts("0", "1", "0.0", "-3"), TensorProto.BOOL, [False, True, False, True], bool),
        "from bool": case(np.array([True, False]), STRING, ["True", "False"]),
        "from bf16": case(
            np.array([0.1, 1, 3.14159, 1e-5, 128, 1e20], ml_dtypes.bfloat16),
            STRING,
            ["0.1", "1.0", "3.14", "1e-05", "128.0", "1e+20"],
        ),
        "from f32": case(
            np.array(
                [0, -0.0, 1e-4, 9.5e-5, 1e15, 1e16, 314.15926, -1e-45, np.nan, np.inf, -np.inf], np.float32
            ),
            STRING,
            "0.0 -0.0 0.0001 9.5e-05 1000000000000000.0 1e+16 314.15927 -1e-45 NaN INF -INF".split(),
        ),
    }
    | {
        f"from {np.dtype(dtype)}": case(integers(dtype), STRING, [str(value) for value in integers(dtype)])
        for dtype in (np.int8, np.int32, np.int64, np.uint64)
    }
)


@np.errstate(over="ignore")
def test_forms() -> None:
    assert wrong_cases(CASES, "", 21) == {}


@cache
def cast(source: int, target: int) -> Executable:
    x, y = (
        helper.make_tensor_value_info(*name_and_type, ["n"])
        for name_and_type in (("x", source), ("y", target))
    )
    graph = helper.make_graph([helper.make_node("Cast", ["x"], ["y"], name="cast", to=target)], "g", [x], [y])
    return compile_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_texts_of_floats_are_the_shortest(dtype: Any) -> None:
    bits = RNG.integers(0, 256, 2000 * np.dtype(dtype).itemsize).astype(np.uint8)
    x = bits.view(dtype)
    x = np.concatenate([x[np.isfinite(x)], RNG.uniform(-100, 100, 200).astype(dtype)])
    [found] = cast(helper.np_dtype_to_tensor_dtype(x.dtype), STRING).run({"x": x}).values()
    assert [Decimal(text) for text in found] == [Decimal(str(value)) for value in x]


NOT_NUMERIC = {text: f"'{text}'" for text in ("", "x", "0x10", "1e", ".", "1 2", "--1", "infinit", "nan(1)")}


@pytest.mark.parametrize(
    ("text", "shown"), [*NOT_NUMERIC.items(), ("1\x00", r"'1\x00'"), ("ä" * 99, f"'{'ä' * 40}'...")]
)
def test_text_that_is_not_numeric(text: str, shown: str) -> None:
    message = re.escape(f"string_to_float 'cast': element 1, {shown}, is not numeric")
    with pytest.raises(ValueError, match=f"^{message}$"):
        cast(STRING, TensorProto.FLOAT).run({"x": texts("1", text)})


@pytest.mark.parametrize("text", ["9223372036854775808", "nan", "-1e19", "inf"])
def test_what_no_integer_is(text: str) -> None:
    message = f"element 0, '{text}', is out of the range of the result's integers"
    with pytest.raises(ValueError, match=message):
        cast(STRING, TensorProto.INT64).run({"x": texts(text)})


def test_strings_that_never_leave() -> None:
    x, y = (helper.make_tensor_value_info(name, TensorProto.INT64, [3]) for name in ("x", "y"))
    nodes = [
        helper.make_node("Cast", ["x"], ["text"], to=STRING),
        helper.make_node("StringConcat", ["text", "text"], ["twice"]),
        helper.make_node("Cast", ["twice"], ["y"], to=TensorProto.INT64),
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 21)], ir_version=10
    )
    assert compile_model(model).run({"x": np.array([7, 0, 12])})["y"].tolist() == [77, 0, 1212]
