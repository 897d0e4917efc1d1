"""graph-fill-channels: first layers with as many channels as are multiplied or copied at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.values import on_ranked
from mlc.passes.rewriting import apply_patterns, attributes_of, replace_op
from mlc.passes.tloop.kernel_functions import EXACT, precision_of

# Bytes of the reduction that one instruction of tensor units takes of a row, and that one copy takes.
STEP_BYTES, COPY_BYTES = 32, 16


def fill_channels(op: ir.Operation) -> bool:
    """conv(x, w) -> conv(pad(x), pad(w)), where a convolution on one block of all channels has fewer."""
    x, w = op.operands
    if graph.attribute(op, "layout") != "NCHWc" or w.type.rank != x.type.rank + 1:
        return False
    element = graph.element_type(x)
    by_units = isinstance(element, ir.F16Type | ir.BF16Type) or precision_of(op) != EXACT
    wanted = (STEP_BYTES if by_units else COPY_BYTES) * 8 // element.width
    channels = graph.shape_of(x)[-1]
    if channels is None or channels >= wanted or graph.shape_of(x)[1] != 1:
        return False
    dims = ((x, x.type.rank - 1), (w, w.type.rank - 2))
    operands = [_padded(value, dim, wanted - channels) for value, dim in dims]
    replace_op(op, graph.build("conv", operands, attributes_of(op), op.results[0].type))
    return True


def _padded(value: ir.Value, dim: int, added: int) -> ir.Value:
    """With zeros behind a dim."""
    none = [0] * value.type.rank
    high = [*none[:dim], added, *none[dim + 1 :]]
    return graph.build("pad", [value], {"low": none, "high": high, "mode": "constant", "value": 0.0})


@dataclass(frozen=True)
class FillChannels(Pass):
    """Add channels of zeros to images of few channels, as first layers have: 32 bytes of a pixel where tensor
    units multiply them, whose instructions take so many, and 16 elsewhere, which one copy takes. Pixels then
    begin where such copies can."""

    name: ClassVar[str] = "graph-fill-channels"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {"graph.conv": on_ranked(fill_channels)})
