"""Random models full of data movement mean what ONNX Runtime says."""

from __future__ import annotations

import pytest
from movement_graphs import MovementGraph
from onnx import printer
from oracle import wrong_outputs

TOLERANCE = 1e-4
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 200))]


@pytest.mark.parametrize("seed", SEEDS)
def test_movement_graph(seed: int) -> None:
    graph = MovementGraph(seed)
    model = graph.model()
    wrong = wrong_outputs(model, graph.inputs, tolerance=TOLERANCE)
    assert not wrong, f"{wrong}\n{printer.to_text(model)}"
