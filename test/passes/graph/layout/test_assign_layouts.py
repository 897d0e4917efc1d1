"""Costs from a program, and what the pass says about convolutions that stay plain."""

from __future__ import annotations

import pytest

from mlc.bindings import ir
from mlc.dialects import create_context, graph
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.layout.assign_layouts import AssignLayouts
from mlc.passes.graph.layout.layout_costs import AnalyticCosts, OneLayout, layout_costs, register_layout_costs
from mlc.passes.remarks import collect_remarks
from mlc.targets import Target, parse_target

WINDOW = (
    'layout = "NCHW", pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>'
)


def conv(x: str, w: str, result: str, group: int = 1) -> str:
    """A function with one convolution."""
    made = (
        f'"graph.conv"(%x, %w) {{{WINDOW}, group = {group}}} : (tensor<{x}>, tensor<{w}>) -> tensor<{result}>'
    )
    body = f"%0 = {made}\nreturn %0 : tensor<{result}>"
    return f"func.func @main(%x: tensor<{x}>, %w: tensor<{w}>) -> tensor<{result}> {{\n{body}\n}}"


LARGE = conv("1x32x16x16xf32", "32x32x3x3xf32", "1x32x14x14xf32")
REASONS = {
    "no block": (
        conv("1x3x8x8xf32", "12x3x3x3xf32", "1x12x6x6xf32"),
        "divides its 12 output channels in 1 group",
    ),
    "groups": (conv("1x64x8x8xf32", "64x4x3x3xf32", "1x64x6x6xf32", 16), "64 output channels in 16 group"),
    "unknown": (conv("1x?x8x8xf32", "32x32x3x3xf32", "1x32x6x6xf32"), "known channels"),
    "double": (conv("1x32x8x8xf64", "32x32x3x3xf64", "1x32x6x6xf64"), "f32"),
    "costs": (conv("1x32x4x4xf32", "32x1x1x1xf32", "1x32x4x4xf32", 32), "longer than blocks save"),
}


def layout(text: str, assign: AssignLayouts) -> tuple[str, list[str]]:
    """The layout of the one convolution after the pass, and the remarks."""
    with create_context(), ir.Location.unknown(), collect_remarks() as remarks:
        module = ir.Module.parse(text)
        function = module.body.operations[0].operation
        assign.run(function)
        (op,) = collect_ops(function, graph.Conv.NAME)
        return ir.StringAttr(op.attributes["layout"]).value, [
            f"{remark.outcome}: {remark.message}" for remark in remarks
        ]


@pytest.mark.parametrize("name", REASONS)
def test_reasons_to_stay_plain(name: str) -> None:
    text, reason = REASONS[name]
    kept, messages = layout(text, AssignLayouts())
    assert kept == "NCHW"
    assert len(messages) == 1 and messages[0].startswith("missed: ") and reason in messages[0]


def test_blocks_are_reported() -> None:
    assert layout(LARGE, AssignLayouts()) == ("NCHWc", ["applied: blocks of 32 channels"])


def test_costs_of_a_program() -> None:
    assert layout(LARGE, AssignLayouts(model=OneLayout(blocked=False)))[0] == "NCHW"


def test_registered_costs() -> None:
    def plain(_target: Target) -> OneLayout:
        return OneLayout(blocked=False)

    register_layout_costs("test-registered", plain)
    register_layout_costs("test-registered", plain)
    assert layout(LARGE, AssignLayouts.from_text("costs=test-registered"))[0] == "NCHW"
    with pytest.raises(ValueError, match="already registered"):
        register_layout_costs("test-registered", AnalyticCosts)


def test_vectors_of_the_target_count() -> None:
    """A block of 8 fills the vectors of one processor and half of those of the other."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(LARGE)
        (op,) = collect_ops(module.operation, graph.Conv.NAME)
        narrow, wide = (layout_costs("analytic", parse_target(name)) for name in ("x86-64-v3", "x86-64-v4"))
        assert narrow.conv(op, 8) == wide.conv(op, 8) == 2 * wide.conv(op, 32)
        assert narrow.conv(op, 32) == narrow.conv(op, 8)
        assert wide.conv(op, 1) > 10 * wide.conv(op, 8)
