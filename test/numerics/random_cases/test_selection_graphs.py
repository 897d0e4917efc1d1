"""Random models of rows selected by data mean what ONNX Runtime says, for several numbers of rows."""

from __future__ import annotations

import pytest
from onnx import printer
from oracle import compile_model, differences, expected_of
from selection_graphs import SelectionGraph

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 60))]


@pytest.mark.parametrize("seed", SEEDS)
def test_selected_rows(seed: int) -> None:
    graph = SelectionGraph(seed)
    model = graph.model()
    program = compile_model(model)
    for inputs in graph.runs():
        wrong = differences(program.run(inputs), expected_of(model, inputs), 1e-5)
        assert not wrong, f"{wrong}\n{printer.to_text(model)}"
