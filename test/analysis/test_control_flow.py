"""Costs of control flow."""

from mlc.analysis import module_costs
from mlc.bindings import parse_module
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

CHOICE = """func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %n = "graph.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %t = "graph.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = "graph.if"(%c) ({
    %1 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "graph.exp"(%1) : (tensor<4xf32>) -> tensor<4xf32>
    "graph.yield"(%2) {operandSegmentSizes = ONE_OF_160} : (tensor<4xf32>) -> ()
  }, {
    "graph.yield"(%x) {operandSegmentSizes = ONE_OF_160} : (tensor<4xf32>) -> ()
  }) {resultSegmentSizes = ONE_OF_160} : (tensor<i1>) -> tensor<4xf32>
  %3 = "graph.loop"(%n, %t, %0) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<4xf32>):
    %4 = "graph.add"(%v, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "graph.yield"(%go, %4) {operandSegmentSizes = TWO_OF_160} : (tensor<i1>, tensor<4xf32>) -> ()
  }) {operandSegmentSizes = THREE_OF_162, resultSegmentSizes = ONE_OF_160}
    : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}"""


def segments(present: int, limit: int) -> str:
    """Returns the segment sizes of optional operands or results of which the first `present` are given."""
    return f"array<i32: {', '.join(['1'] * present + ['0'] * (limit - present))}>"


def test_a_choice_costs_its_dearer_branch_and_a_loop_its_iterations() -> None:
    text = CHOICE.replace("ONE_OF_160", segments(1, 160)).replace("TWO_OF_160", segments(2, 160))
    costs = module_costs(
        parse_module(text.replace("THREE_OF_162", segments(3, 162)), create_context(), "t.mlir")
    )
    assert [(op.name, op.cost.flops) for op in costs.ops] == [("if", 8), ("loop", 5 * 4)]
    # x lives on in the loop's body: x, the loop's operand and its result.
    assert costs.peak_bytes == 3 * 16


def test_launches_in_a_loop_count_as_often_as_they_run() -> None:
    text = CHOICE.replace("ONE_OF_160", segments(1, 160)).replace("TWO_OF_160", segments(2, 160))
    module = parse_module(text.replace("THREE_OF_162", segments(3, 162)), create_context(), "t.mlir")
    run_pipeline("builtin.module(form-kernels)", module)
    costs = module_costs(module)
    assert [(op.name, op.cost.flops) for op in costs.ops] == [("exp+exp", 8), ("add", 5 * 4)]
