"""graph-unsqueeze-windows: windows over signals become windows over images of one row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.patterns import Pattern
from mlc.passes.common.rewriting import apply_patterns, attributes_of
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.values import on_ranked, replacing
from mlc.passes.graph.layout.sink_reshapes import sink, sink_below_padding

_WINDOWS = (graph.Conv.NAME, graph.MaxPool.NAME, graph.AveragePool.NAME)
# What each attribute has for the row.
_OF_ROW = {"strides": 1, "dilations": 1, "kernel": 1}


def unsqueeze(op: ir.Operation) -> ir.Value | None:
    """Returns the result of a window over `[N, C, L]` as that of one over `[N, C, 1, L]`; None for others."""
    attributes = attributes_of(op)
    strides = graph.attribute(op, "strides")
    if len(strides) != 1 or graph.attribute(op, "layout") != "NCHW":
        return None
    fields: dict[str, Any] = dict(attributes)
    for name, of_row in _OF_ROW.items():
        if name in attributes:
            fields[name] = [of_row, *graph.attribute(op, name)]
    low, high = graph.attribute(op, "pads")
    fields["pads"] = [0, low, 0, high]
    result = graph.dims_of(op.results[0])
    operands = [_with_row(operand) for operand in op.operands]
    if not graph.can_compute_dims(result):
        return None
    return graph.reshape_to(graph.build(op.name, operands, fields), result)


def _with_row(value: ir.Value) -> ir.Value:
    first, second, length = graph.dims_of(value)
    return graph.reshape_to(value, (first, second, 1, length))


@dataclass(frozen=True)
class UnsqueezeWindows(Pass):
    """Make convolutions and pools over one spatial dim ones over two, the first of which is 1, and move the
    reshapes below what is computed of their results. Layouts, schedules and fusions are those of images."""

    name: ClassVar[str] = "graph-unsqueeze-windows"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        if not apply_patterns(op, dict.fromkeys(_WINDOWS, on_ranked(replacing(unsqueeze)))):
            return False
        below = partial(sink, producers=dict.fromkeys(_WINDOWS, 1))
        rules: dict[str, Pattern] = {**dict.fromkeys(ELEMENTWISE, below), graph.Pad.NAME: sink_below_padding}
        apply_patterns(op, rules, max_iterations=256)
        return True
