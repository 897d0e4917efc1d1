"""Random small models mean what ONNX Runtime says."""

from __future__ import annotations

import pytest
from onnx import printer
from oracle import compile_model, differences, expected_of
from random_graphs import RandomGraph
from random_patterns import PatternGraph

# Errors of single ops grow along chains of up to 30.
TOLERANCE = 1e-4
SEEDS = [*range(30), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(30, 330))]
PATTERN_SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 155))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graph(seed: int) -> None:
    agrees(RandomGraph(seed))


@pytest.mark.parametrize("seed", PATTERN_SEEDS)
def test_graph_of_patterns(seed: int) -> None:
    agrees(PatternGraph(seed))


def agrees(graph: RandomGraph) -> None:
    model = graph.model()
    expected = expected_of(model, graph.inputs)
    wrong = differences(compile_model(model).run(graph.inputs), expected, TOLERANCE)
    assert not wrong, f"{wrong}\n{printer.to_text(model)}"
