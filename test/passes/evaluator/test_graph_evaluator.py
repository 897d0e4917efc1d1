"""The oracle of the property tests knows every op."""

from __future__ import annotations

import re

import numpy as np
import pytest
from evaluator_ops import pack, unpack
from graph_evaluator import BY_TYPE, CONTROL, RULES, evaluate

from mlc.bindings import ir
from mlc.dialects import create_context, graph
from mlc.frontends.weights.store import WeightStore
from mlc.passes.graph.winograd.matrices import kernel_matrix

# f64 have other bits than f32, objects are none of NumPy's; no random graph holds them.
WITHOUT = {"bitcast", "call_runtime", "object_ids", "objects"}


def test_every_op_has_a_rule() -> None:
    assert sorted({*graph.specs()} - {*RULES} - BY_TYPE - CONTROL - WITHOUT) == []


@pytest.mark.parametrize(
    ("dims", "tiles", "order"),
    [([1], [4], ()), ([1, 0], [2, 3], ()), ([2], [5], (1, 0, 2)), ([0, 2], [4, 4], ())],
)
def test_unpack_undoes_pack(dims: list[int], tiles: list[int], order: tuple[int, ...]) -> None:
    x = np.arange(6 * 8 * 5).reshape(6, 8, 5)
    packed = pack(x, dims, tiles, order, 0)
    assert packed.shape[-len(tiles) :] == tuple(tiles)
    assert np.array_equal(unpack(packed, dims, tiles, order, x.shape), x)


def test_winograd_is_the_convolution() -> None:
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((1, 1, 6, 10, 4)), rng.standard_normal((5, 4, 3, 3))
    matrix = np.array([[float(entry) for entry in row] for row in kernel_matrix(4)])
    turned = np.einsum("py,oiyx,qx->pqio", matrix, weight, matrix).reshape(36, 1, 4, 5)
    tiles = RULES["winograd_input"](x, tile=4)
    products = RULES["matmul_packed"](tiles, turned)
    found = RULES["winograd_output"](products, tile=4, shape=[1, 4, 8])
    direct = sum(
        np.einsum("oi,hwi->hwo", weight[:, :, y, z], x[0, 0, y : y + 4, z : z + 8])
        for y in range(3)
        for z in range(3)
    )
    assert np.allclose(found[0, 0], direct, rtol=1e-10, atol=1e-10)


def test_rows_of_a_pack_are_tiles() -> None:
    x = np.arange(12).reshape(2, 6)
    assert pack(x, [1], [3], (1, 0)).tolist() == [[[0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]]]


MODULE = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "graph.constant"() {value = dense<1.0e-30> : tensor<f32>} : () -> tensor<f32>
  %1 = "graph.add"(%x, %0) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = "graph.mul"(%1, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}"""


LOOP = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = "graph.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %true = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = "graph.loop"(%n, %true, %x) ({
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<2xf32>):
    %first = "graph.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %is_first = "graph.equal"(%i, %first) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next = "graph.if"(%is_first) ({
      "graph.yield"(%s) {operands: 1 of 160} : (tensor<2xf32>) -> ()
    }, {
      %more = "graph.add"(%s, %one) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      "graph.yield"(%more) {operands: 1 of 160} : (tensor<2xf32>) -> ()
    }) {results: 1 of 160} : (tensor<i1>) -> tensor<2xf32>
    "graph.yield"(%c, %next, %s) {operands: 3 of 160} : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> ()
  }) {operands: 3 of 162, results: 2 of 160} : (tensor<i64>, tensor<i1>, tensor<2xf32>)
    -> (tensor<2xf32>, tensor<?x2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<?x2xf32>
}"""


def with_segments(text: str) -> str:
    """`operands: 1 of 3` is short for the attribute that says which operands are given."""

    def attribute(found: re.Match[str]) -> str:
        given, most = int(found[2]), int(found[3])
        present = ", ".join("1" * given + "0" * (most - given))
        return f"{found[1]}SegmentSizes = array<i32: {present}>"

    return re.sub(r"\b(operand|result)s: (\d+) of (\d+)", attribute, text)


def result_of(text: str) -> np.ndarray:
    return all_of(text)[0]


def all_of(text: str) -> list[np.ndarray]:
    with create_context(allow_unregistered_dialects=True):
        return evaluate(ir.Module.parse(text), [np.zeros(2, np.float32)], WeightStore())


def test_floats_are_wide() -> None:
    result = result_of(MODULE)
    assert result.dtype == np.float64 and (result > 0).all()


def test_bodies_see_the_values_around_them() -> None:
    last, scanned = all_of(with_segments(LOOP))
    assert last.tolist() == [2, 2]
    assert scanned.tolist() == [[0, 0], [0, 0], [1, 1]]


def test_an_op_of_another_dialect_is_named() -> None:
    with pytest.raises(NotImplementedError, match=r"not test\.add"):
        result_of(MODULE.replace('"graph.add"', '"test.add"'))
