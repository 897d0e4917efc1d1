"""The listener that collects what passes do."""

from __future__ import annotations

import pytest

from mlc.analysis.explanation import Explanation
from mlc.bindings import ir, parse_module
from mlc.dialects import create_context
from mlc.passes.remarks import listening
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.pass_error import PassRunError

TEXT = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = "graph.matmul"(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("product")
  %1 = "graph.relu"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("act1")
  %2 = "graph.relu"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("act2")
  %3 = "graph.add"(%1, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("sum")
  return %3 : tensor<4x8xf32>
}"""


def parse(text: str = TEXT) -> ir.Module:
    return parse_module(text, create_context(), "t.mlir")


def test_upstream_passes_show_the_ops_that_went() -> None:
    explanation = Explanation()
    run_pipeline("builtin.module(cse,canonicalize)", parse(), explanation)
    cse, canonicalize = explanation.reports
    assert (cse.name, cse.before.ops(), cse.after.ops()) == ("cse", 4, 3)
    assert dict(cse.removed) == {("relu", ("act2",)): 1} and not cse.added
    assert not canonicalize.removed and not canonicalize.added and not canonicalize.remarks
    assert not listening()


def test_kernels_are_described_once_when_they_are_formed() -> None:
    explanation = Explanation()
    text = TEXT.replace("(%1, %2)", "(%1, %x)")
    run_pipeline("builtin.module(canonicalize,graph-form-kernels,cse)", parse(text), explanation)
    assert [len(report.kernels) for report in explanation.reports] == [0, 1, 0]
    [group] = explanation.reports[1].kernels
    assert (group.function, group.anchor, group.joined) == ("main", "matmul", ("relu", "add"))
    assert group.nodes == ("product", "act1", "sum")
    assert group.kernel.startswith("matmul_relu_add_")


def test_pipelines_have_names() -> None:
    explanation, module = Explanation(), parse()
    run_pipeline("builtin.module(cse,canonicalize)", module, explanation)
    explanation.name_pipeline("first")
    run_pipeline("builtin.module(cse)", module, explanation)
    explanation.name_pipeline("second")
    assert [report.pipeline for report in explanation.reports] == ["first", "first", "second"]


def test_the_planned_arena_is_reported() -> None:
    explanation = Explanation()
    run_pipeline("builtin.module(graph-form-kernels,host-plan-memory)", parse(), explanation)
    formed, planned = explanation.reports
    assert formed.after.arena == {} and planned.after.arena["arena_bytes"] >= 0
    assert planned.after.arena["arena_lower_bound"] <= planned.after.arena["arena_bytes"]


def test_a_failing_pass_leaves_no_report_and_no_collector() -> None:
    explanation = Explanation()
    with pytest.raises(PassRunError):
        run_pipeline("builtin.module(cse,host-plan-memory)", parse(), explanation)
    assert [report.name for report in explanation.reports] == ["cse"]
    assert explanation.reports[0].removed and not listening()
