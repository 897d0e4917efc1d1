"""Indices in tensors, order and scans, where cases of one node do not reach: NaN, duplicates, indices
outside, types, blocks of long lines."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper
from oracle import compile_model, differences
from pieces import Pieces

from mlc import compile

RNG = np.random.default_rng(5)


def order_rows(x: np.ndarray, k: int, largest: bool) -> tuple[np.ndarray, np.ndarray]:
    """The first k of each row: NaN is the largest value, and equal ones keep their order."""
    elements = x.astype(np.float64) if x.dtype.kind not in "iu" else x
    found = []
    for row in elements.reshape(-1, x.shape[-1]):
        nan = np.isnan(row) if row.dtype.kind == "f" else np.zeros(row.shape, bool)
        # Python's integers hold all of 64 bits; pairs of a flag and a value compare flags first.
        key = [(bool(n), 0 if n else value.item()) for n, value in zip(nan, row, strict=True)]
        order = sorted(range(len(row)), key=lambda at: key[at], reverse=largest)
        # sorted() keeps the order of equal ones in both directions.
        found.append(order[:k])
    indices = np.array(found, np.int64).reshape(*x.shape[:-1], k)
    return np.take_along_axis(x, indices, -1), indices


def with_edges(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Numbers of which many are equal; of floats some NaN, infinities and zeros of both signs."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        x = RNG.integers(0, 50, shape).astype(dtype)
        x.reshape(-1)[::7] = limits.max
        x.reshape(-1)[3::11] = limits.min
        return x
    x = np.round(RNG.normal(size=shape) * 8).astype(dtype)
    for start, value in enumerate((np.nan, np.inf, -np.inf, -0.0, 0.0, -np.nan)):
        x.reshape(-1)[start * 3 + 1 :: 29 + start] = value
    return x


def top_k(pieces: Pieces, name: str, x: np.ndarray, k: int, largest: int) -> None:
    onnx_types = (helper.np_dtype_to_tensor_dtype(x.dtype), TensorProto.INT64)
    pieces.add(name, "TopK", x, [k], out=onnx_types, largest=largest)


@pytest.mark.parametrize(
    "dtypes",
    [
        pytest.param("float32 int64", id="wide"),
        pytest.param("float16 bfloat16 float64 int8 int16 int32 uint8 uint16 uint32 uint64", id="others",
                     marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_top_k_orders_by_value(dtypes: str) -> None:
    pieces = Pieces(opset=24)
    expected: dict[str, np.ndarray] = {}
    for name in dtypes.split():
        dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
        # Whole and parts of blocks of 16 or 32, and what is left of the line.
        for shape, k in (((2, 100), 5), ((3, 64), 1), ((1, 33), 33), ((2, 200), 100)):
            for largest in (0, 1):
                x = with_edges(shape, dtype)
                piece = f"{name}_{shape[1]}_{k}_{largest}"
                top_k(pieces, piece, x, k, largest)
                values, indices = order_rows(x, k, bool(largest))
                expected |= {piece: values, f"{piece}:1": indices}
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected)


@pytest.mark.parametrize("largest", [0, 1])
def test_top_k_of_any_size_orders_by_value(largest: int) -> None:
    value = helper.make_tensor_value_info
    node = helper.make_node("TopK", ["x", "k"], ["values", "indices"], largest=largest, axis=1)
    given = [value("x", TensorProto.FLOAT, ["rows", "length"]), value("k", TensorProto.INT64, [1])]
    element_types = {"values": TensorProto.FLOAT, "indices": TensorProto.INT64}
    outputs = [value(name, element_type, ["rows", None]) for name, element_type in element_types.items()]
    graph = helper.make_graph([node], "top_k", given, outputs)
    program = compile(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 24)]))
    for shape, k in (((2, 100), 5), ((3, 64), 64), ((1, 1), 1), ((0, 7), 3), ((2, 9), 0)):
        x = with_edges(shape, np.dtype(np.float32)) if 0 not in shape else np.zeros(shape, np.float32)
        found = program.run({"x": x, "k": np.array([k])})
        values, indices = order_rows(x, k, bool(largest))
        np.testing.assert_array_equal(found["indices"], indices)
        np.testing.assert_array_equal(found["values"], values)


def test_top_k_in_any_order_finds_the_same() -> None:
    pieces, x = Pieces(opset=24), with_edges((3, 90), np.dtype(np.float32))
    pieces.add("any", "TopK", x, [12], out=(TensorProto.FLOAT, TensorProto.INT64), sorted=0)
    found = compile_model(pieces.model()).run(pieces.inputs)
    _, indices = order_rows(x, 12, True)
    assert np.array_equal(np.sort(found["any:1"], -1), np.sort(indices, -1))
    np.testing.assert_array_equal(found["any"], np.take_along_axis(x, found["any:1"], -1))


def test_the_last_of_equal_indices_wins_and_unchecked_indices_outside_are_clamped() -> None:
    pieces = Pieces(opset=18)
    x, updates = RNG.normal(size=(6, 3)).astype(np.float32), RNG.normal(size=(5, 3)).astype(np.float32)
    rows = np.array([2, -4, 99, 2, -99])
    bounded = [2, 2, 5, 2, 0]
    pieces.add("rows", "ScatterND", x, rows[:, None], updates)
    pieces.add("elements", "ScatterElements", x, np.repeat(rows[:, None], 3, 1), updates, axis=0)
    pieces.add("read", "GatherND", x, rows[:, None])
    wanted = x.copy()
    for index, update in zip(bounded, updates, strict=True):
        wanted[index] = update
    expected = {"rows": wanted, "elements": wanted, "read": x[bounded]}
    program = compile_model(pieces.model(), unchecked_indices=True)
    assert not differences(program.run(pieces.inputs), expected)


def test_booleans_and_16_bits_are_combined() -> None:
    pieces, expected = Pieces(opset=18), {}
    indices = np.array([[1], [0], [1], [1]])
    for name, numpy in (("add", np.logical_or), ("mul", np.logical_and)):
        x, updates = np.array([True, False, True]), np.array([True, False, False, True])
        pieces.add(f"flags_{name}", "ScatterND", x, indices, updates, reduction=name)
        expected[f"flags_{name}"] = scatter(x, indices, updates, numpy)
    for dtype in (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)):
        x, updates = (RNG.normal(size=count).astype(dtype) for count in (3, 4))
        pieces.add(f"add_{dtype.name}", "ScatterND", x, indices, updates, reduction="add")
        expected[f"add_{dtype.name}"] = scatter(x, indices, updates, np.add)
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected)


def scatter(x: np.ndarray, indices: np.ndarray, updates: np.ndarray, join: np.ufunc) -> np.ndarray:
    result = x.copy()
    for (index,), update in zip(indices, updates, strict=True):
        result[index] = join(result[index], update)
    return result


def test_what_reads_and_follows_scattered_values() -> None:
    """A scatter's operands are computed by other kernels, and one of them is used again."""
    pieces = Pieces(opset=18)
    x, updates = RNG.normal(size=(40, 8)).astype(np.float32), RNG.normal(size=(3, 8)).astype(np.float32)
    indices = np.array([[39], [0], [7]])
    for name, value in (("x", x), ("i", indices), ("u", updates)):
        pieces.input(name, value)
    pieces.add("exp", "Exp", "x")
    pieces.add("neg", "Neg", "u")
    pieces.add("scattered", "ScatterND", "exp", "i", "neg", out=TensorProto.FLOAT)
    pieces.add("sum", "Add", "scattered", "exp", out=TensorProto.FLOAT)
    wanted = np.exp(x)
    wanted[indices[:, 0]] = -updates
    expected = {"exp": np.exp(x), "neg": -updates, "scattered": wanted, "sum": wanted + np.exp(x)}
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected)


def test_a_singular_matrix_has_no_determinant() -> None:
    pieces, x = Pieces(opset=22), RNG.normal(size=(3, 4, 4)).astype(np.float32)
    x[0, :, 1] = 0
    x[1, 0, 0] = 0
    pieces.add("det", "Det", x)
    expected = {"det": np.linalg.det(x.astype(np.float64)).astype(np.float32)}
    assert expected["det"][0] == 0
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected)
