"""Costs of whole modules: totals, weights, peak memory, kernels."""

from __future__ import annotations

import pytest

from mlc.analysis import UnknownSizeError, module_costs
from mlc.bindings import ir, parse_module
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

# Weights 8x16, 16 and 16x4; the bias is transposed before a call.
MLP = """
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w1 = "graph.weight"() {source = "w", offset = 0, size = 512, hash = "a"}
    : () -> tensor<8x16xf32>
  %b = "graph.weight"() {source = "w", offset = 512, size = 64, hash = "b"}
    : () -> tensor<16x1xf32>
  %w2 = "graph.weight"() {source = "w", offset = 576, size = 256, hash = "c"}
    : () -> tensor<16x4xf32>
  %t = "graph.transpose"(%b) {permutation = array<i64: 1, 0>} : (tensor<16x1xf32>) -> tensor<1x16xf32>
  %0 = "graph.matmul"(%x, %w1) : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32> loc("first")
  %1 = "graph.add"(%0, %t) : (tensor<2x16xf32>, tensor<1x16xf32>) -> tensor<2x16xf32> loc("first")
  %2 = "graph.relu"(%1) : (tensor<2x16xf32>) -> tensor<2x16xf32> loc("relu")
  %3 = "graph.reshape"(%2) {shape = array<i64: 2, 16>} : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %4 = "graph.matmul"(%3, %w2) : (tensor<2x16xf32>, tensor<16x4xf32>) -> tensor<2x4xf32> loc("second")
  return %4 : tensor<2x4xf32>
}
"""


def parse(text: str) -> ir.Module:
    return parse_module(text, create_context(), "t.mlir")


def test_graph_level() -> None:
    costs = module_costs(parse(MLP))
    assert [op.name for op in costs.ops] == ["matmul", "add", "relu", "reshape", "matmul"]
    assert costs.constant_ops == 1
    assert costs.parameters == 128 + 16 + 64 and costs.weight_bytes == 4 * 208
    assert [op.parameters for op in costs.ops] == [128, 16, 0, 0, 64]
    assert costs.products.macs == costs.total.macs == 2 * 16 * 8 + 2 * 4 * 16
    assert costs.products.accesses == (256 + 128 + 32) + (128 + 64 + 8)
    assert costs.total.moved_bytes == 4 * ((16 + 128 + 32) + (32 + 16 + 32) + (32 + 32) + (32 + 64 + 8))
    assert costs.ops[0].nodes == ("first",) and costs.ops[0].shape == (2, 16)
    assert (costs.launches, costs.kernels) == (0, 0)


def test_peak_is_what_lives_during_one_op() -> None:
    # During the add: its operand and its result. The input is gone, the reshape takes nothing.
    assert module_costs(parse(MLP)).peak_bytes == 4 * (32 + 32)


def test_values_live_until_their_last_use() -> None:
    text = """func.func @main(%x: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
      %0 = "graph.relu"(%x) : (tensor<100xf32>) -> tensor<100xf32>
      %1 = "graph.exp"(%0) : (tensor<100xf32>) -> tensor<100xf32>
      %2 = "graph.add"(%1, %x) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
      return %2, %1 : tensor<100xf32>, tensor<100xf32>
    }"""
    assert module_costs(parse(text)).peak_bytes == 1200


def test_after_kernels_were_formed_a_launch_moves_operands_and_results() -> None:
    module = parse(MLP)
    before = module_costs(module)
    run_pipeline("builtin.module(graph-split-prepare,cse,form-kernels)", module)
    after = module_costs(module)
    assert [op.name for op in after.ops] == ["matmul+add+relu", "matmul"]
    assert (after.launches, after.kernels) == (2, 2)
    assert after.products.accesses == before.products.accesses
    assert after.total.macs == before.total.macs and after.total.flops == before.total.flops
    assert after.total.moved_bytes == 4 * ((16 + 128 + 16 + 32) + (32 + 64 + 8))
    assert after.ops[0].nodes == ("first", "relu")
    assert after.ops[0].is_product and after.peak_bytes == 4 * (16 + 32)


def test_a_kernel_that_gathers_reads_the_rows_it_selects() -> None:
    text = """func.func @main(%i: tensor<3xi64>, %t: tensor<1000x8xf32>) -> tensor<3x8xf32> {
      %0 = "graph.gather"(%t, %i) {axis = 0 : i64} : (tensor<1000x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
      %1 = "graph.relu"(%0) : (tensor<3x8xf32>) -> tensor<3x8xf32>
      return %1 : tensor<3x8xf32>
    }"""
    module = parse(text)
    run_pipeline("builtin.module(form-kernels)", module)
    assert module_costs(module).total.moved_bytes == 3 * 8 + 2 * 24 * 4


def test_indices_and_scalars_are_no_parameters() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
      %i = "graph.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
      %h = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
      %s = "graph.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
      %0 = "graph.mul"(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = "graph.mul"(%0, %h) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %2 = "graph.gather"(%1, %i) {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
      return %2 : tensor<2xf32>
    }"""
    costs = module_costs(parse(text))
    assert costs.parameters == 4 and [op.parameters for op in costs.ops] == [4, 0, 0]


def test_dynamic_dims_are_an_error() -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = "graph.relu"(%x) : (tensor<?xf32>) -> tensor<?xf32> loc("node")
      return %0 : tensor<?xf32>
    }"""
    with pytest.raises(UnknownSizeError, match="dim 0") as raised:
        module_costs(parse(text))
    assert "node" in str(raised.value.location)


def test_what_is_known_is_counted_beside_dynamic_dims() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %d: tensor<1xi64>) -> (tensor<?xf32>, tensor<4xf32>) {
      %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = "graph.reshape"(%x, %d) {shape = array<i64: -1>} : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>
      %2 = "graph.relu"(%1) : (tensor<?xf32>) -> tensor<?xf32>
      return %2, %0 : tensor<?xf32>, tensor<4xf32>
    }"""
    costs = module_costs(parse(text), known_only=True)
    assert [op.name for op in costs.unknown] == ["relu"] and costs.unknown[0].shape == (None,)
    assert costs.unknown[0].unknown == "dim 0 of a value of type tensor<?xf32> is not known"
    assert costs.total == costs.ops[0].cost and costs.total.moved_bytes == 32
    # x, d and the exponentials.
    assert costs.peak_bytes == 16 + 8 + 16
