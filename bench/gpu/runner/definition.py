"""Evaluates a case's graph as a torch module, for eager torch and torch.compile."""

from __future__ import annotations

from typing import Any

import torch

from bench.gpu.runner.graph import NodeGraph
from bench.gpu.runner.on_torch import OPERATORS
from bench.operator_graph import evaluate


class Definition(torch.nn.Module):
    """A module that takes the case's inputs in order and returns its outputs. Weights are buffers: compilers
    may rely on their addresses."""

    def __init__(
        self, graph: NodeGraph, inputs: list[str], weights: dict[str, Any], static: dict[str, Any]
    ) -> None:
        super().__init__()
        self._graph, self._inputs, self._static = graph, inputs, static
        self._weights = {name: f"weight_{index}" for index, name in enumerate(weights)}
        for name, attribute in self._weights.items():
            self.register_buffer(attribute, weights[name])

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Returns the outputs."""
        values = {name: getattr(self, attribute) for name, attribute in self._weights.items()}
        for name, value in zip(self._inputs, inputs, strict=True):
            values[name] = value
        return tuple(evaluate(self._graph, values, OPERATORS, self._static))
