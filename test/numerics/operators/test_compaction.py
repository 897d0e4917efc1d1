"""Kernels whose data say how many results there are, against NumPy and ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from mlc.bindings import ir
from mlc.compiler import Options, compile_program, worker_pool
from mlc.dialects import create_context

RNG = np.random.default_rng(2)

COMPRESS = """
func.func @main(%x: tensor<5x40x3xf32>, %c: tensor<33xi1>) -> (tensor<5x33x3xf32>, tensor<i64>) {
  %0, %1 = "graph.compress"(%x, %c) {axis = 1 : i64} : (tensor<5x40x3xf32>, tensor<33xi1>) -> (tensor<5x33x3xf32>, tensor<i64>)
  return %0, %1 : tensor<5x33x3xf32>, tensor<i64>
}"""  # noqa: E501
NON_ZERO = """
func.func @main(%x: tensor<4x6xf32>, %y: tensor<7xi1>) -> (tensor<2x24xi64>, tensor<i64>, tensor<1x7xi64>, tensor<i64>) {
  %0, %1 = "graph.non_zero"(%x) : (tensor<4x6xf32>) -> (tensor<2x24xi64>, tensor<i64>)
  %2, %3 = "graph.non_zero"(%y) : (tensor<7xi1>) -> (tensor<1x7xi64>, tensor<i64>)
  return %0, %1, %2, %3 : tensor<2x24xi64>, tensor<i64>, tensor<1x7xi64>, tensor<i64>
}"""  # noqa: E501


Run = Callable[..., list[np.ndarray]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """The results of a module's text for its inputs."""
    with worker_pool(1) as pool:

        def results(text: str, *inputs: np.ndarray) -> list[np.ndarray]:
            with create_context(), ir.Location.unknown():
                program = compile_program(ir.Module.parse(text), Options(cache=False, pool=pool))
            return list(program.executable(threads=1)(*inputs))

        yield results


def test_compress(run: Run) -> None:
    x, condition = RNG.normal(size=(5, 40, 3)).astype(np.float32), RNG.random(33) < 0.4
    values, count = run(COMPRESS, x, condition)
    assert count == condition.sum()
    wanted = np.compress(condition, x, 1)
    assert np.array_equal(values[:, : int(count)], wanted)
    assert not values[:, int(count) :].any()


def test_non_zero(run: Run) -> None:
    x, y = RNG.integers(0, 2, (4, 6)).astype(np.float32), np.zeros(7, bool)
    x[0, 0] = np.nan
    indices, count, none, zero = run(NON_ZERO, x, y)
    assert int(count) == (x != 0).sum()
    assert int(zero) == 0
    assert np.array_equal(indices[:, : int(count)], np.stack(np.nonzero(x)))
    assert not indices[:, int(count) :].any()
    assert not none.any()


@pytest.mark.parametrize("sorted_", [True, False])
def test_unique(sorted_: bool, run: Run) -> None:
    x = np.round(RNG.normal(size=50) * 4).astype(np.float32)
    x[[3, 20, 41]] = np.nan
    dtypes = "(tensor<50xf32>, tensor<50xi64>, tensor<50xi64>, tensor<50xi64>, tensor<i64>)"
    text = f"""func.func @main(%x: tensor<50xf32>) -> {dtypes} {{
      %0:5 = "graph.unique"(%x) {{sorted = {str(sorted_).lower()}}} : (tensor<50xf32>) -> {dtypes}
      return %0#0, %0#1, %0#2, %0#3, %0#4 : {dtypes[1:-1]}
    }}"""
    values, first, inverse, counts, count = run(text, x)
    found, indices, groups, often = np.unique(x, True, True, True)
    order = np.arange(len(found)) if sorted_ else np.argsort(indices)
    assert int(count) == len(found)
    assert np.array_equal(values[: len(found)], found[order], equal_nan=True)
    assert np.array_equal(first[: len(found)], indices[order])
    assert np.array_equal(counts[: len(found)], often[order])
    assert np.array_equal(inverse, np.argsort(order)[groups])
    assert not counts[len(found) :].any()


def suppress(boxes: np.ndarray, scores: np.ndarray, most: int, center: bool, low: float) -> np.ndarray:
    """Returns the result of ONNX Runtime."""
    names = ["boxes", "scores", "most", "iou", "low"]
    values = [boxes, scores, np.array([most]), np.array([0.4], np.float32), np.array([low], np.float32)]
    onnx_types = [
        TensorProto.FLOAT,
        TensorProto.FLOAT,
        TensorProto.INT64,
        TensorProto.FLOAT,
        TensorProto.FLOAT,
    ]
    node = helper.make_node("NonMaxSuppression", names, ["y"], center_point_box=int(center))
    inputs = [
        helper.make_tensor_value_info(name, onnx_type, value.shape)
        for name, onnx_type, value in zip(names, onnx_types, values, strict=True)
    ]
    output = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    graph = helper.make_graph([node], "suppression", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (found,) = session.run(None, dict(zip(names, values, strict=True)))
    return np.asarray(found)


@pytest.mark.parametrize("by_operand", [False, True], ids=["attributes", "limits"])
@pytest.mark.parametrize(("most", "center", "low"), [(50, False, 0.2), (4, True, -1.0)])
def test_non_max_suppression(most: int, center: bool, low: float, by_operand: bool, run: Run) -> None:
    """Images and classes, corners in any order, equal scores; limits that are attributes or an operand."""
    boxes = RNG.random((2, 30, 4)).astype(np.float32)
    scores = np.round(RNG.random((2, 3, 30)), 1).astype(np.float32)
    wanted = suppress(boxes, scores, most, center, low)
    bound = 40 if by_operand else most
    size = 6 * min(bound, 30)
    dtypes = ["tensor<2x30x4xf32>", "tensor<2x3x30xf32>", *["tensor<3xf64>"] * by_operand]
    results = f"(tensor<{size}x3xi64>, tensor<i64>)"
    arguments = ", ".join(f"%{name}: {dtype}" for name, dtype in zip("bsl", dtypes, strict=False))
    operands = ", ".join(("%b", "%s", *["%l"] * by_operand))
    limits = "" if by_operand else f"iou_threshold = 0.4 : f64, score_threshold = {low:e} : f64,"
    text = f"""func.func @main({arguments}) -> {results} {{
      %0, %1 = "graph.non_max_suppression"({operands}) {{most = {bound} : i64, {limits}
        center_point_box = {str(center).lower()}}} : ({", ".join(dtypes)}) -> {results}
      return %0, %1 : {results[1:-1]}
    }}"""
    limit_operands = [np.array([most, np.float32(0.4), np.float32(low)], np.float64)] * by_operand
    rows, count = run(text, boxes, scores, *limit_operands)
    assert 6 < count < 6 * 30
    assert np.array_equal(rows[: int(count)], wanted)
    assert not rows[int(count) :].any()
