"""Remarks of graph-recognize-idioms on values that nearly are an idiom."""

from __future__ import annotations

import pytest

from mlc.bindings import parse_module
from mlc.dialects import create_context
from mlc.passes.graph.idioms.recognize_idioms import RecognizeIdioms
from mlc.passes.remarks import collect_remarks

GELU = """
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
  %half = "graph.constant"() {{value = dense<0.5> : tensor<f32>}} : () -> tensor<f32>
  %one = "graph.constant"() {{value = dense<1.0> : tensor<f32>}} : () -> tensor<f32>
  %factor = "graph.constant"() {{value = dense<{factor}> : tensor<f32>}} : () -> tensor<f32>
  %0 = "graph.mul"(%x, %factor) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.erf"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.add"(%1, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.mul"(%x, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "graph.mul"(%3, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4, {second} : tensor<4xf32>, tensor<4xf32>
}}
"""
ATTENTION = """
func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<{heads}x4x3xf32>, %m: tensor<2x3x3xf32>)
    -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>) {{
  %0 = "graph.matmul"(%q, %k) : (tensor<2x3x4xf32>, tensor<{heads}x4x3xf32>) -> tensor<2x3x3xf32>
  %1 = "graph.add"(%0, %m) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %2 = "graph.add"(%1, %m) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %3 = "graph.softmax"(%2) {{axis = 2}} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %4 = "graph.matmul"(%3, %m) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %4, {second} : tensor<2x3x3xf32>, tensor<2x3x3xf32>
}}
"""


@pytest.mark.parametrize(
    ("text", "rule", "reason"),
    [
        (GELU.format(factor=0.75, second="%x"), "gelu", "the factor in erf is 0.75 instead of 0.707107"),
        (GELU.format(factor=0.707106769, second="%1"), "gelu", "the result of erf has another use"),
        (ATTENTION.format(heads=2, second="%3"), "attention", "the softmax has another use"),
        (ATTENTION.format(heads=2, second="%2"), "attention", "the masked scores have another use"),
        (ATTENTION.format(heads=2, second="%0"), "attention", "the scores have another use"),
        (ATTENTION.format(heads=2, second="%m"), "attention", "it has several masks"),
        (
            ATTENTION.format(heads=1, second="%m"),
            "attention",
            "the heads of keys and values do not divide those of the queries",
        ),
    ],
)
def test_near_misses_are_reported(text: str, rule: str, reason: str) -> None:
    module = parse_module(text, create_context(), "t.mlir")
    with collect_remarks() as remarks:
        RecognizeIdioms().run(module.operation)
    assert {(remark.outcome, remark.rule, remark.message) for remark in remarks} == {("missed", rule, reason)}
