"""graph-mark-padding: convolutions know the zeros around the image that they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns
from mlc.passes.graph.common.values import on_ranked

# On a convolution: the zeros before its image along each dim, then those after it.
PADDING = "graph.padding"


def mark_padding(op: ir.Operation) -> bool:
    """Notes the zeros that a `graph.pad` has added to the image of a convolution."""
    pad = graph.Pad.defining(graph.Conv(op).x)
    if pad is None or PADDING in op.attributes or pad.mode != "constant" or pad.value != 0:
        return False
    op.attributes[PADDING] = ir.DenseI64ArrayAttr.get([*pad.low, *pad.high])
    return True


@dataclass(frozen=True)
class MarkPadding(Pass):
    """Note at each convolution the zeros that a `graph.pad`, which another kernel may compute, has added
    around its image (`graph.padding`): schedules leave out windows' rows that read nothing else."""

    name: ClassVar[str] = "graph-mark-padding"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {graph.Conv.NAME: on_ranked(mark_padding)})
