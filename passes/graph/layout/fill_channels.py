"""graph-fill-channels: pads the few channels of first layers to the width of one copy or matrix
instruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import EXACT, precision_of
from mlc.passes.common.rewriting import apply_patterns, attributes_of, replace_op
from mlc.passes.graph.common.rematerialization import beneath, in_memory
from mlc.passes.graph.common.values import on_ranked

# Bytes of the reduction that one instruction of matrix units takes of a row, and that one copy takes.
STEP_BYTES, COPY_BYTES = 32, 16
# Minimum channels of a pixel that are copied together.
SHORT_COPY = 8


def fill_channels(op: ir.Operation) -> bool:
    """conv(x, w) -> conv(pad(x), pad(w)), where a convolution on one block of all channels has fewer."""
    conv = graph.Conv(op)
    x, w = op.operands
    if conv.layout != "NCHWc" or w.type.rank != x.type.rank + 1:
        return False
    element = graph.element_type(in_memory(x))
    by_units = element.width <= 16 or precision_of(op) != EXACT
    wanted = (STEP_BYTES if by_units else COPY_BYTES) * 8 // element.width
    channels = graph.shape_of(x)[-1]
    if channels is None or _is_enough(channels, wanted) or graph.shape_of(x)[1] != 1:
        return False
    dims = ((x, x.type.rank - 1), (w, w.type.rank - 2))
    operands = [_pad_dim(value, dim, wanted - channels) for value, dim in dims]
    replace_op(op, graph.build("conv", operands, attributes_of(op), conv.result.type))
    return True


def _is_enough(channels: int, wanted: int) -> bool:
    """Tiles of more than a half are padded to the whole; copies should be a few bytes long."""
    return channels >= wanted or (channels > wanted // 2 and channels % SHORT_COPY == 0)


def _pad_dim(value: ir.Value, dim: int, added: int) -> ir.Value:
    """Appends `added` zeros along a dim."""
    none = [0] * value.type.rank
    high = [*none[:dim], added, *none[dim + 1 :]]
    attributes = {"low": none, "high": high, "mode": "constant", "value": 0.0}
    return beneath(value, lambda source: graph.build("pad", [source], attributes))


@dataclass(frozen=True)
class FillChannels(Pass):
    """Add channels of zeros to images of few channels, as first layers have: 32 bytes of a pixel where matrix
    units multiply them, whose instructions take 32, and 16 elsewhere, which one copy takes. Pixels then
    begin where such copies can. Multiples of 8 channels that are more than half of that stay: tiles are
    padded anyway."""

    name: ClassVar[str] = "graph-fill-channels"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {graph.Conv.NAME: on_ranked(fill_channels)})
