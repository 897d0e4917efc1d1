"""Convolutions and pools compute the same with their channels innermost; transposes between them are gone."""

from __future__ import annotations

import numpy as np
import pytest
from graph_evaluator import evaluate

from mlc.bindings import ir
from mlc.dialects import create_context, graph
from mlc.frontends.weights.store import WeightStore
from mlc.passes.common.rewriting import collect_ops
from mlc.pipelines.driver import run_pipeline

PLAIN = 'dilations = array<i64: 1, 2>, pads = array<i64: 1, 0, 2, 1>, layout = "NCHW"'
WINDOW = f"strides = array<i64: 2, 1>, {PLAIN}"
POINT = (
    'strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, layout = "NCHW"'
)
POOL = f"{WINDOW}, kernel = array<i64: 3, 3>, ceil_mode = false"
X = "tensor<2x6x7x8xf32>"
# Name -> (the filters' type, the result's, groups, attributes)
CONVS = {
    "one group": ("tensor<4x6x3x3xf32>", "tensor<2x4x4x5xf32>", 1, WINDOW),
    "groups": ("tensor<4x3x3x3xf32>", "tensor<2x4x4x5xf32>", 2, WINDOW),
    "depthwise": ("tensor<6x1x3x3xf32>", "tensor<2x6x4x5xf32>", 6, WINDOW),
    "several filters for each channel": ("tensor<12x1x3x3xf32>", "tensor<2x12x4x5xf32>", 6, WINDOW),
    "points": ("tensor<5x6x1x1xf32>", "tensor<2x5x7x8xf32>", 1, POINT),
    "points in groups": ("tensor<6x2x1x1xf32>", "tensor<2x6x7x8xf32>", 3, POINT),
}
POOLS = {"max_pool": POOL, "average_pool": f"{POOL}, count_include_pad = false"}


def function(arguments: str, body: str, result: str) -> str:
    return f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}"


def check(text: str, *passes: str) -> ir.Operation:
    """The function after the passes, which computes the same."""
    with create_context() as context, ir.Location.unknown():
        before, after = ir.Module.parse(text), ir.Module.parse(text)
        run_pipeline(f"builtin.module(func.func({','.join(passes)}))", after)
        rng = np.random.default_rng(0)
        arguments = before.body.operations[0].regions[0].blocks[0].arguments
        inputs = [rng.normal(size=argument.type.shape) for argument in arguments]
        (wanted,), (found,) = (evaluate(module, inputs, WeightStore()) for module in (before, after))
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)
        names = [op.name for op in collect_ops(after.operation)]
        assert context is not None
    return names


@pytest.mark.parametrize("name", CONVS)
def test_convolutions(name: str) -> None:
    filters, result, group, attributes = CONVS[name]
    body = f'%r = "graph.conv"(%x, %w) {{{attributes}, group = {group} : i64}} : ({X}, {filters}) -> {result}'
    names = check(function(f"%x: {X}, %w: {filters}", body, result), "graph-channels-last")
    assert (graph.Matmul.NAME in names) == name.startswith("points")


@pytest.mark.parametrize("name", POOLS)
def test_pools(name: str) -> None:
    result = "tensor<2x6x4x5xf32>"
    body = f'%r = "graph.{name}"(%x) {{{POOLS[name]}}} : ({X}) -> {result}'
    check(function(f"%x: {X}", body, result), "graph-channels-last")


def test_ops_between_convolutions_have_channels_last_too() -> None:
    """Two convolutions and a pool with bias, addition and activation between them: one transpose before,
    one after, and those of the filters."""
    w, y = "tensor<6x6x3x3xf32>", "tensor<2x6x7x8xf32>"
    conv = POINT.replace("0, 0, 0, 0", "1, 1, 1, 1")
    body = f"""%c = "graph.conv"(%x, %w) {{{conv}, group = 1 : i64}} : ({X}, {w}) -> {y}
    %s = "graph.add"(%c, %b) : ({y}, tensor<6x1x1xf32>) -> {y}
    %a = "graph.relu"(%s) : ({y}) -> {y}
    %d = "graph.conv"(%a, %v) {{{conv}, group = 1 : i64}} : ({y}, {w}) -> {y}
    %e = "graph.add"(%d, %a) : ({y}, {y}) -> {y}
    %r = "graph.max_pool"(%e) {{{POOL}}} : ({y}) -> tensor<2x6x4x5xf32>"""
    arguments = f"%x: {X}, %w: {w}, %v: {w}, %b: tensor<6x1x1xf32>"
    names = check(
        function(arguments, body, "tensor<2x6x4x5xf32>"), "graph-channels-last", "graph-sink-transposes"
    )
    # Of the image, of the bias, of two sets of filters, and of the result.
    assert names.count(graph.Transpose.NAME) <= 5


def test_channels_that_are_filled_add_nothing() -> None:
    x, w, y = "tensor<1x1x7x8x3xf32>", "tensor<1x1x3x3x3x4xf32>", "tensor<1x1x4x5x4xf32>"
    attributes = WINDOW.replace('"NCHW"', '"NCHWc"') + ', group = 1 : i64, accel.precision = "tf32"'
    body = f'%r = "graph.conv"(%x, %w) {{{attributes}}} : ({x}, {w}) -> {y}'
    names = check(function(f"%x: {x}, %w: {w}", body, y), "graph-fill-channels")
    assert names.count(graph.Pad.NAME) == 2
