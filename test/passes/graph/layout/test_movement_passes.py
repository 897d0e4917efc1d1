"""Passes that move data keep what random graphs compute, and change nothing when they run twice."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest
from graph_evaluator import evaluate
from movement_graphs import MovementGraph
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from pass_permutations import Subject

from mlc.frontends.onnx import import_model
from mlc.passes.graph.layout.sink_transposes import Sweep
from mlc.pipelines.driver import run_pipeline

# As graph-optimize does before them.
BEFORE = ["graph-infer-shapes", "cse", "canonicalize", "graph-eliminate-noops", "graph-reduce-strength"]
PASSES = [
    "graph-eliminate-concat-split",
    "graph-sink-transposes",
    "graph-fold-padding",
    "graph-hoist-movement",
]
GRAPHS, FAST_GRAPHS = 200, 6


class MovementSubject(Subject):
    @cached_property
    def graph(self) -> MovementGraph:
        return MovementGraph(self.seed)


@cache
def subject(seed: int) -> MovementSubject:
    return MovementSubject(seed)


def seeds() -> list[object]:
    """All graphs; those after the first few are slow."""
    return [
        *range(FAST_GRAPHS),
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FAST_GRAPHS, GRAPHS)),
    ]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("name", PASSES)
def test_a_pass_keeps_the_results(name: str, seed: int) -> None:
    assert subject(seed).failure([*BEFORE, name]) is None


@pytest.mark.parametrize("seed", seeds())
def test_all_passes_keep_the_results(seed: int) -> None:
    assert subject(seed).failure([*BEFORE, *PASSES]) is None


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("name", PASSES)
def test_a_second_run_changes_nothing(name: str, seed: int) -> None:
    once, twice = (subject(seed).after([*BEFORE, *[name] * times]).get_asm() for times in (1, 2))
    assert once == twice


def test_settled_values_live() -> None:
    """A value that is made later may have the address of one of them, and would be confused with it."""
    for seed in range(FAST_GRAPHS):
        module = subject(seed).after(BEFORE)
        [function] = [op.operation for op in module.body.operations]
        sweep = Sweep(function, "rounding")
        for _ in range(20):
            if not sweep._improve():
                break
            block = function.regions[0].blocks[0]
            alive = {*block.arguments, *(value for op in block for value in op.operation.results)}
            assert {value for value, _ in sweep.settled} <= alive


def test_the_graphs_change() -> None:
    for name in PASSES:
        changed = (
            subject(seed).after([*BEFORE, name]).get_asm() != subject(seed).after(BEFORE).get_asm()
            for seed in range(FAST_GRAPHS)
        )
        assert any(changed), name


class ChannelsLast:
    """A model as tf2onnx exports it: each convolution between two transposes, all else in channels-last."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, array: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(array, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, op: str, *operands: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, operands, [f"v{len(self.nodes)}"], **attributes))
        return f"v{len(self.nodes) - 1}"

    def conv(self, x: str, inputs: int, outputs: int, stride: int = 1) -> str:
        """With padding as a separate op, and a bias."""
        padded = self.node("Pad", x, self.constant(np.array([0, 1, 1, 0, 0, 1, 1, 0])))
        first = self.node("Transpose", padded, perm=[0, 3, 1, 2])
        weights = self.rng.standard_normal((outputs, inputs, 3, 3)) * (9 * inputs) ** -0.5
        result = self.node("Conv", first, self.constant(weights.astype(np.float32)), strides=[stride] * 2)
        back = self.node("Transpose", result, perm=[0, 2, 3, 1])
        return self.node("Add", back, self.constant(self.rng.standard_normal(outputs).astype(np.float32)))

    def model(self, batch: int | str = 1) -> ModelProto:
        """A residual block, two branches that are joined, and a last convolution."""
        x = self.node("Relu", self.conv("x", 3, 8, stride=2))
        y = self.conv(self.node("Relu", self.conv(x, 8, 8)), 8, 8)
        x = self.node("Relu", self.node("Add", x, y))
        left = self.node("Relu", self.conv(x, 8, 16, stride=2))
        right = self.node("Sigmoid", self.conv(x, 8, 16, stride=2))
        x = self.conv(self.node("Concat", left, right, axis=3), 32, 4)
        values = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in (("x", [batch, 16, 16, 3]), (x, [batch, 4, 4, 4]))
        ]
        graph = helper.make_graph(self.nodes, "channels_last", values[:1], values[1:], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


@pytest.mark.parametrize("batch", [1, "n"])
def test_a_channels_last_model_keeps_two_transposes(batch: int | str) -> None:
    model = import_model(ChannelsLast().model(batch))
    module, x = model.module.operation, np.random.default_rng(1).standard_normal((1, 16, 16, 3))
    (expected,) = evaluate(module, [x], model.weights)
    assert str(module).count("graph.transpose") == 12
    run_pipeline("builtin.module(graph-optimize)", module)
    text = str(module)
    assert text.count("graph.conv") == 6
    assert text.count("graph.transpose") == 2
    assert "graph.pad" not in text
    np.testing.assert_allclose(evaluate(module, [x], model.weights)[0], expected, rtol=1e-10)


def grouped_model(groups: int) -> ModelProto:
    """A grouped convolution as ResNeXt's exporters write it: a split, a convolution per group, a concat."""
    rng = np.random.default_rng(0)
    constants = [numpy_helper.from_array(np.full(groups, 2), "sizes")]
    nodes = [helper.make_node("Split", ["x", "sizes"], [f"x{index}" for index in range(groups)], axis=1)]
    for group in range(groups):
        for name, shape in (("w", (3, 2, 3, 3)), ("b", (3,))):
            array = rng.standard_normal(shape).astype(np.float32)
            constants.append(numpy_helper.from_array(array, f"{name}{group}"))
        operands = [f"x{group}", f"w{group}", f"b{group}"]
        nodes.append(helper.make_node("Conv", operands, [f"c{group}"], pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{group}"], [f"r{group}"]))
    nodes.append(helper.make_node("Concat", [f"r{index}" for index in range(groups)], ["y"], axis=1))
    x, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", channels * groups, 5, 5])
        for name, channels in (("x", 2), ("y", 3))
    )
    graph = helper.make_graph(nodes, "grouped", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


@pytest.mark.parametrize("groups", [2, 8, 16, 32])
def test_a_convolution_per_group_is_one(groups: int) -> None:
    model = import_model(grouped_model(groups))
    module, x = model.module.operation, np.random.default_rng(1).standard_normal((2, 2 * groups, 5, 5))
    (expected,) = evaluate(module, [x], model.weights)
    run_pipeline("builtin.module(graph-infer-shapes,graph-eliminate-concat-split)", module)
    text = str(module)
    assert (text.count("graph.conv"), text.count("graph.relu")) == (1, 1)
    assert f"group = {groups}" in text
    np.testing.assert_allclose(evaluate(module, [x], model.weights)[0], expected, rtol=1e-12)
