"""Cast between every two element types: narrow floats by their bits, integers as NumPy wraps them.

What is expected is onnx's reference evaluator's answer, but for f64 to narrow floats, which it rounds twice.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference.ops.op_cast import cast_to
from oracle import Arrays, compile_model
from pieces import Pieces

OPSET = 28
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
NARROW = (*FLOAT8, "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = tuple(f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u"))
SUBBYTE = ("int4", "uint4", "int2", "uint2")


def dtype_of(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def onnx_type_of(name: str) -> int:
    return helper.np_dtype_to_tensor_dtype(dtype_of(name))


def every_code(name: str) -> np.ndarray:
    """Every number of a type of at most 8 bits."""
    bits = int(re.findall(r"\d+", name)[0])
    return np.arange(1 << bits, dtype=np.uint8).view(dtype_of(name))


def special_values(name: str) -> np.ndarray:
    """Values of narrow types, the points halfway between two of them, what is next to those, what is too
    large, infinities and NaN."""
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 1e30, -1e30]
    for narrow in NARROW:
        codes = every_code(narrow).astype(np.float64)
        finite = np.unique(codes[np.isfinite(codes)])
        halfway = (finite[1:] + finite[:-1]) / 2
        beyond = finite[-1] * np.array([1.03125, 1.0625, 1.07, 1.125, 1.25, 2.0])
        values += [*finite, *halfway, *np.nextafter(halfway, np.inf), *np.nextafter(halfway, -np.inf)]
        values += [*beyond, *-beyond]
    with np.errstate(over="ignore"):
        return np.array(values).astype(dtype_of(name))


def as_numpy_type(array: np.ndarray) -> np.ndarray:
    """The same values in a type that NumPy converts to all others."""
    name = array.dtype.name
    if name in SUBBYTE:
        return array.astype(np.int8)
    return array.astype(np.float32) if name in NARROW else array


Casts = list[tuple[str, np.ndarray, str, dict[str, Any]]]


def run(casts: Casts) -> tuple[Arrays, dict[str, np.ndarray]]:
    """The compiled answers and those of the reference, by `source_to_target`."""
    pieces, expected = Pieces(OPSET), {}
    for label, array, target, attributes in casts:
        pieces.add(label, "Cast", array, to=onnx_type_of(target), out=onnx_type_of(target), **attributes)
        with np.errstate(all="ignore"):
            full: dict[str, Any] = {"saturate": 1, "round_mode": "up"} | attributes
            onnx_type: Any = onnx_type_of(target)
            expected[label] = cast_to(as_numpy_type(array), onnx_type, full["saturate"], full["round_mode"])
    return compile_model(pieces.model()).run(pieces.inputs), expected


def wrong(actual: Arrays, expected: dict[str, np.ndarray]) -> dict[str, str]:
    """Results whose bits differ; all NaNs are equal."""
    found = {}
    for label, want in expected.items():
        got = actual[label]
        assert got.dtype == want.dtype and got.shape == want.shape
        view = f"u{want.dtype.itemsize}"
        same = got.view(view) == want.view(view)
        if want.dtype.kind in "fV" and "int" not in want.dtype.name:
            same |= np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
        if not same.all():
            values = got[~same][0], want[~same][0]
            found[label] = f"{(~same).sum()} of {same.size}, first {values[0]} instead of {values[1]}"
    return found


@pytest.mark.parametrize("saturate", [1, 0])
def test_floats_become_float8(saturate: int) -> None:
    values = special_values("float32")
    casts: Casts = [(target, values, target, {"saturate": saturate}) for target in FLOAT8]
    assert not wrong(*run(casts))


def test_float8e8m0_rounds_by_its_attributes() -> None:
    powers = 2.0 ** np.arange(-140, 128, dtype=np.float64)
    values = np.concatenate([powers, powers * 1.25, powers * 1.5, powers * 1.75, [0, 3.4e38, np.nan, np.inf]])
    values = values.astype(np.float32)
    casts = [
        (f"{mode}_{saturate}", values, "float8_e8m0fnu", {"round_mode": mode, "saturate": saturate})
        for mode in ("up", "down", "nearest")
        for saturate in (1, 0)
    ]
    codes = every_code("float8_e8m0fnu")
    casts += [(target, codes, target, {}) for target in ("float32", "float64")]
    assert not wrong(*run(casts))


def nearest(values: np.ndarray, target: str) -> np.ndarray:
    """The nearest numbers of a type, ties to even codes, found among all of them: onnx and ml_dtypes round
    f64 to f32 first."""
    codes = every_code(target).astype(np.float64)[: len(every_code(target)) // 2]
    codes = codes[np.isfinite(codes)]
    halfway = (codes[1:] + codes[:-1]) / 2
    indices = np.searchsorted(halfway, np.abs(values))
    ties = np.isin(np.abs(values), halfway) & (indices % 2 == 1)
    return np.copysign(codes[indices + ties], values)


def test_doubles_are_rounded_once() -> None:
    """Rounding through f32 would turn values next to halfway points into these."""
    values = special_values("float64")
    values = values[~np.isnan(values)]
    values = np.concatenate([values, values * (1 + 2.0**-40), values * (1 - 2.0**-40)])
    pieces = Pieces(OPSET)
    pieces.input("x", values)
    for target in NARROW:
        pieces.add(target, "Cast", "x", to=onnx_type_of(target), out=onnx_type_of(target))
    actual = compile_model(pieces.model()).run(pieces.inputs)
    for target in NARROW:
        np.testing.assert_array_equal(actual[target].astype(np.float64), nearest(values, target), target)


@pytest.mark.slow
@pytest.mark.parametrize("source", [*NARROW, *SUBBYTE, "bool"])
def test_narrow_types_become_every_type(source: str) -> None:
    array = np.array([False, True]) if source == "bool" else every_code(source)
    targets = [name for name in (*FLOATS, *NARROW, *INTEGERS, *SUBBYTE, "bool") if name != source]
    values = array.astype(np.float64)
    # Not defined: what integers do not hold, and NaN where a type has none.
    small = array[(values >= 0) & (values < 2)] if source in NARROW else array
    finite = array[np.isfinite(values)]
    fitting = {
        t: small if "int" in t else finite if t.startswith(("float4", "float6")) else array for t in targets
    }
    casts: Casts = [(t, fitting[t], t, {}) for t in targets]
    assert not wrong(*run(casts))


@pytest.mark.slow
@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS])
def test_wide_types_become_narrow_ones(source: str) -> None:
    if source in FLOATS:
        array = special_values(source)
        whole = np.arange(4).astype(array.dtype)
    else:
        limits = np.iinfo(source)
        array = np.array([limits.min, limits.max, 0, 1, 2, 3, 7, 100, 127], source)
        whole = array
    targets = (*NARROW, *SUBBYTE, "bool")
    casts: Casts = [(t, whole if "int" in t else array, t, {}) for t in targets]
    if source == "float64":
        casts = [cast for cast in casts if cast[2] not in NARROW]
    assert not wrong(*run(casts))


@pytest.mark.slow
@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS])
def test_wide_types_become_each_other(source: str) -> None:
    rng = np.random.default_rng(1)
    array = rng.integers(0, 100, 37).astype(dtype_of(source))
    targets = [name for name in (*FLOATS, *INTEGERS) if name != source]
    assert not wrong(*run([(target, array, target, {}) for target in targets]))


def test_small_constants_saturate_too() -> None:
    """The importer computes these itself."""
    x = helper.make_tensor("x", onnx.TensorProto.FLOAT, [3], [1e6, -1e6, 1.0])
    nodes = [helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT8E4M3FN)]
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT8E4M3FN, [3])
    graph = helper.make_graph(nodes, "constant", [], [y], [x])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    assert compile_model(model).run({})["y"].astype(np.float32).tolist() == [448, -448, 1]
