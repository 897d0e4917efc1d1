"""Programs with control flow compute the same after their simplification, and never what they did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from control_programs import Program, evaluate

from mlc.bindings import ir
from mlc.bindings.context import create_context
from mlc.dialects import graph
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.remarks import collect_remarks
from mlc.pipelines.driver import run_pipeline

SEEDS = 60
PASSES = ("graph-simplify-control-flow", "graph-hoist-invariants")
INPUTS = [(a, b, n, c) for a, b in ((2, 5), (-1, 0)) for n in (0, 1, 3) for c in (True, False)]


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with create_context(), ir.Location.unknown():
        graph.GraphDialect.load()
        yield


def results(module: ir.Module, inputs: tuple[int, int, int, bool]) -> list[int] | None:
    """Returns the results of @main; None where it would trap."""
    block = module.body.operations[0].entry_block
    *integers, truth = inputs
    values = [*map(np.int64, integers), np.bool_(truth)]
    try:
        return [int(value) for value in evaluate(block, dict(zip(block.arguments, values, strict=True)))]
    except ZeroDivisionError:
        return None


def differs(before: ir.Module, after: ir.Module) -> str:
    for inputs in INPUTS:
        expected = results(before, inputs)
        # A program that traps may do anything; one that does not must not begin to.
        if expected is not None and results(after, inputs) != expected:
            return f"inputs {inputs}: {expected} became {results(after, inputs)}\n{before}\n{after}"
    return ""


@pytest.mark.parametrize("pipeline", [*PASSES, ",".join([*PASSES, PASSES[0], "canonicalize", "cse"])])
def test_random_programs_compute_the_same(pipeline: str) -> None:
    left: Counter[str] = Counter()
    for seed in range(SEEDS):
        before = Program(seed).write()
        assert before.operation.verify()
        after = ir.Module.parse(str(before))
        run_pipeline(f"builtin.module({pipeline})", after)
        assert not differs(before, after), f"seed {seed}"
        for name, module in (("before", before), ("after", after)):
            left[name] += len(collect_ops(module.operation, graph.CONTROL_OPS))
    if "simplify" in pipeline:
        assert left["after"] < left["before"] / 2


@pytest.mark.parametrize("name", PASSES)
def test_running_a_pass_twice_changes_nothing_more(name: str) -> None:
    for seed in range(SEEDS):
        module = Program(seed).write()
        run_pipeline(f"builtin.module({name})", module)
        once = str(module)
        run_pipeline(f"builtin.module({name})", module)
        assert str(module) == once, f"seed {seed}"


STUCK = """
func.func @main(%n: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %j: tensor<i64>) -> tensor<f32> {
  %0 = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %1 = "graph.loop"(%n, %c, %0) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %x: tensor<f32>):
    %2 = "graph.gather"(%a, %j) {axis = 0} : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
    %3 = "graph.exp"(%2) : (tensor<f32>) -> tensor<f32>
    %4 = "graph.add"(%x, %3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "graph.yield"(%go, %4) {operandSegmentSizes = array<i32: YIELD>} : (tensor<i1>, tensor<f32>) -> ()
  }) {operandSegmentSizes = array<i32: LOOP>, resultSegmentSizes = array<i32: RESULTS>}
    : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
"""


def segments(count: int, most: int) -> str:
    return ", ".join(str(int(index < count)) for index in range(most))


def test_an_op_that_may_fail_is_reported_once() -> None:
    text = STUCK.replace("YIELD", segments(2, 160)).replace("LOOP", segments(3, 162))
    module = ir.Module.parse(text.replace("RESULTS", segments(1, 160)))
    with collect_remarks() as remarks:
        run_pipeline("builtin.module(graph-hoist-invariants)", module)
    (remark,) = remarks
    assert (remark.outcome, remark.rule, remark.op) == ("missed", "graph-hoist-invariants", graph.Gather.NAME)
    assert remark.message == "it may fail, and the loop around it may never run"
