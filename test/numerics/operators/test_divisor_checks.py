"""Integer divisors of ONNX operators that are 0: calls fail as ONNX Runtime's do, and say where."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import oracle
import pytest
from onnx import parser

from mlc.frontends.errors import ModelError
from mlc.runtime import Executable

_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_OPERATORS = ("Div", "Mod", "Mod <fmod = 1>")


def model_of(text: str) -> onnx.ModelProto:
    return parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18]> {text}')


def program_of(text: str, **options: Any) -> Executable:
    return oracle.compile_model(model_of(text), **options)


def is_refused_by_onnxruntime(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> bool:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    try:
        session.run(None, inputs)
    except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
        return "by zero" in str(error)
    return False


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("operator", _OPERATORS)
def test_operators(operator: str, dtype: str) -> None:
    """The error names the node and the divisor; a later call works. Sizes are static and dynamic."""
    a, good = np.arange(6, dtype=dtype).reshape(2, 3), np.array([2, 1, 3], dtype)
    bad = np.array([2, 1, 0], dtype)
    for rows in ("2", "n"):
        model = model_of(
            f"g ({dtype}[{rows},3] a, {dtype}[3] b) => ({dtype}[{rows},3] y) {{ [at] y = {operator} (a, b) }}"
        )
        program = oracle.compile_model(model)
        assert program.report()["divisor_checks"] == 1
        expected = oracle.expected_of(model, {"a": a, "b": good})
        assert is_refused_by_onnxruntime(model, {"a": a, "b": bad})
        with pytest.raises(ValueError, match=r"'at': the divisor at \[2\] is 0"):
            program.run({"a": a, "b": bad})
        assert not oracle.differences(program.run({"a": a, "b": good}), expected)


@pytest.mark.parametrize("at", [0, 1, 998])
def test_position(at: int) -> None:
    """The first of many divisors that are 0, and a scalar."""
    program = program_of(
        "g (int32 a, int32[n,9] b, int32 c) => (int32[n,9] y, int32 z) { y = Div (a, b) z = Mod (a, c) }"
    )
    divisors = np.ones(999, np.int32)
    divisors[at:] = 0
    inputs = {"a": np.int32(7), "b": divisors.reshape(111, 9), "c": np.int32(1)}
    with pytest.raises(ValueError, match=rf"the divisor at \[{at // 9}, {at % 9}\] is 0"):
        program.run(inputs)
    with pytest.raises(ValueError, match="Mod 'Mod:z': the divisor is 0"):
        program.run(inputs | {"b": np.ones((111, 9), np.int32), "c": np.int32(0)})


@pytest.mark.parametrize("operator", _OPERATORS)
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_lowest_by_minus_one(dtype: str, operator: str) -> None:
    """The quotient wraps, and nothing is left: ONNX Runtime's process ends for 32 and 64 bits."""
    program = program_of(f"g ({dtype}[2] a, {dtype}[2] b) => ({dtype}[2] y) {{ y = {operator} (a, b) }}")
    lowest = np.array([np.iinfo(dtype).min, 5], dtype)
    result = program.run({"a": lowest, "b": np.full(2, -1, dtype)})["y"]
    np.testing.assert_array_equal(result, np.array([lowest[0], -5], dtype) if operator == "Div" else [0, 0])


def test_unchecked() -> None:
    """Quotients and remainders are 0, and the report says that nothing is checked."""
    program = program_of(
        "g (int64[2] a, int64[2] b) => (int64[2] y, int64[2] z) { y = Div (a, b) z = Mod (a, b) }",
        unchecked_indices=True,
    )
    outputs = program.run({"a": np.array([7, 8]), "b": np.array([0, 3])})
    assert outputs["y"].tolist() == [0, 2] and outputs["z"].tolist() == [0, 2]
    assert not program.report()["divisor_checks"]


def test_divisor_that_a_kernel_computes() -> None:
    """A divisor with neighbours in one kernel on both sides is checked too."""
    for rows in ("300", "n"):
        program = program_of(
            f"g (int64[{rows}] a, int64[{rows}] b) => (int64[{rows}] y)"
            "{ one = Constant <value_int = 1> () d = Sub (b, one) q = Div (a, d) y = Mul (q, q) }"
        )
        a, b = np.arange(300), np.arange(2, 302)
        np.testing.assert_array_equal(program.run({"a": a, "b": b})["y"], (a // (b - 1)) ** 2)
        b[299] = 1
        with pytest.raises(ValueError, match=r"'Div:q': the divisor at \[299\] is 0"):
            program.run({"a": a, "b": b})


def test_part_of_the_quotients() -> None:
    """Divisors and indices of results that are not used are checked, as ONNX Runtime does."""
    text = (
        "g (int64[4] a, int64[4] b, int64[4] i) => (int64[1] y, int64[1] z) {"
        " zero = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> ()"
        " q = Div (a, b) y = Slice (q, zero, one) g = Gather (a, i) z = Slice (g, zero, one) }"
    )
    program, a, i = program_of(text), np.arange(4) + 8, np.arange(4)
    outputs = program.run({"a": a, "b": np.array([3, 1, 1, 1]), "i": i})
    assert outputs["y"].tolist() == [2] and outputs["z"].tolist() == [8]
    with pytest.raises(ValueError, match=r"the divisor at \[2\] is 0"):
        program.run({"a": a, "b": np.array([3, 1, 0, 1]), "i": i})
    with pytest.raises(ValueError, match=r"index 4 at \[3\] is out of bounds"):
        program.run({"a": a, "b": np.array([3, 1, 1, 1]), "i": i + 1})


_PROVEN = {
    "constant": "d = Constant <value_ints = [2, -3]> ()",
    "clipped": "low = Constant <value_int = 1> () d = Clip (b, low)",
    "greatest": "one = Constant <value_int = 1> () d = Max (b, one)",
    "sum": "one = Constant <value_int = 1> () k = ArgMax <keepdims = 0> (x) d = Add (k, one)",
}


@pytest.mark.parametrize("name", _PROVEN)
def test_no_check_where_the_range_is_known(name: str) -> None:
    """Divisors that cannot be 0 need no check."""
    text = f"g (int64[2] a, int64[2] b, float[3,2] x) => (int64[2] y) {{ {_PROVEN[name]} y = Div (a, d) }}"
    assert program_of(text).report()["divisor_checks"] == 0


def test_no_check_of_shape_arithmetic() -> None:
    """Sizes are divided by constants, as exporters write it."""
    text = (
        "g (float[n,c] x) => (float[r,h] y) {"
        " two = Constant <value_int = 2> () one = Constant <value_int = 1> ()"
        " minus = Constant <value_ints = [-1]> () zero = Constant <value_ints = [0]> ()"
        " s = Shape (x) c = Gather (s, one) half = Div (c, two) h = Unsqueeze (half, zero)"
        " r = Mod (c, two) t = Concat <axis = 0> (minus, h) y = Reshape (x, t) }"
    )
    program, x = program_of(text), np.arange(12, dtype=np.float32).reshape(3, 4)
    assert program.report()["divisor_checks"] == 0
    np.testing.assert_array_equal(program.run({"x": x})["y"], x.reshape(6, 2))


def test_divisor_that_is_a_size() -> None:
    """Sizes of calls may be 0; one more is not."""
    sizes = "one = Constant <value_int = 1> () s = Shape (a) t = Shape (b) u = Add (t, one)"
    text = f"g (int64[n] a, int64[m] b) => (int64[k] y) {{ {sizes} q = Div (s, t) y = Expand (one, q) }}"
    a, empty = np.arange(4), np.arange(0)
    program = program_of(text)
    assert program.run({"a": a, "b": a[:2]})["y"].tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"'Div:q': the divisor at \[0\] is 0"):
        program.run({"a": a, "b": empty})
    program = program_of(text.replace("(s, t)", "(s, u)"))
    assert program.report()["divisor_checks"] == 0
    assert program.run({"a": a, "b": empty})["y"].tolist() == [1, 1, 1, 1]


def test_branches() -> None:
    """Only the branch that runs checks, constants included."""
    text = (
        "g (int64[2] a, int64[2] b, bool c) => (int64[2] y) { y = If (c) <"
        " then_branch = one () => (int64[2] r) { [taken] r = Div (a, b) },"
        " else_branch = other () => (int64[2] r)"
        "  { zero = Constant <value_int = 0> () [constant] r = Mod (a, zero) }> }"
    )
    program, a = program_of(text), np.array([6, 7])
    for value, other in ((True, "taken': the divisor at"), (False, "constant': the divisor is 0")):
        with pytest.raises(ValueError, match=other):
            program.run({"a": a, "b": np.array([0, 2]), "c": np.array(value)})
    assert program.run({"a": a, "b": np.array([1, 2]), "c": np.array(True)})["y"].tolist() == [6, 3]


@pytest.mark.parametrize("rows", ["4", "n"])
def test_loop(rows: str) -> None:
    """Each iteration checks its divisor; a loop that does not run, none, of values from outside either."""
    text = (
        f"g (int64[{rows}] a, int64 b, int64 trips) => (int64 y, int64[k] z) {{"
        " yes = Constant <value = bool {1}> () zero = Constant <value_int = 0> ()"
        " y, z = Loop (trips, yes, zero) <body = body (int64 i, bool going, int64 sum)"
        " => (bool again, int64 next, int64 each) { again = Identity (going) at = Gather (a, i)"
        " [inner] q = Div (sum, at) [outer] r = Mod (q, b) next = Add (r, i) each = Identity (at) }> }"
    )
    program = program_of(text)

    def call(a: list[int], b: int, trips: int) -> int:
        outputs = program.run({"a": np.array(a), "b": np.array(b), "trips": np.array(trips)})
        return int(outputs["y"])

    assert call([1, 1, 1, 1], 2, 4) == 4
    assert call([0, 0, 0, 0], 0, 0) == 0
    assert call([1, 1, 1, 0], 2, 3) == 3
    with pytest.raises(ValueError, match="inner': the divisor is 0"):
        call([1, 1, 1, 0], 2, 4)
    with pytest.raises(ValueError, match="outer': the divisor is 0"):
        call([1, 1, 1, 0], 0, 1)


def test_constant() -> None:
    """The model cannot be compiled; one whose constant is in the weights fails when it runs."""
    text = "g (int64[2] a) => (int64[2] y) { d = Constant <value_ints = [3, 0]> () [at] y = Div (a, d) }"
    with pytest.raises(ModelError, match=r"'at': the divisor at \[1\] is 0"):
        program_of(text)
    model = model_of("g (int64[500] a) => (int64[500] y) { [at] y = Mod (a, d) }")
    divisors = np.where(np.arange(500) == 400, 0, 3)
    model.graph.initializer.append(onnx.numpy_helper.from_array(divisors, "d"))
    with pytest.raises(ValueError, match=r"'at': the divisor at \[400\] is 0"):
        oracle.compile_model(model).run({"a": np.arange(500)})
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(divisors + 1, "d"))
    program = oracle.compile_model(model)
    assert program.report()["divisor_checks"] == 0
    np.testing.assert_array_equal(program.run({"a": np.arange(500)})["y"], np.arange(500) % (divisors + 1))
