"""Families of graph ops that passes ask for by name."""

from __future__ import annotations

from mlc.dialects import graph

ELEMENTWISE = frozenset(
    f"graph.{spec.name}" for spec in graph.specs().values() if spec.family.startswith("elementwise")
)
# Those whose element type does not follow from those of their operands.
CONVERTING = frozenset({"graph.cast", "graph.bitcast"})
# The same elements in the same order, under another shape.
VIEWS = frozenset({"graph.reshape", "graph.squeeze", "graph.unsqueeze"})
