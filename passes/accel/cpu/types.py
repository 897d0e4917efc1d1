"""What becomes of types where a program of blocks runs on a CPU."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects.accel.dialect import SHARED
from mlc.passes.common.signedness import signless


def cpu_type(kind: ir.Type) -> ir.Type:
    """Tiles are tensors, shared memory is memory like any other, and integers have no sign."""
    if isinstance(kind, ir.VectorType):
        return ir.RankedTensorType.get(kind.shape, signless(kind.element_type))
    if isinstance(kind, ir.MemRefType):
        space = None if str(kind.memory_space) == SHARED else kind.memory_space
        return ir.MemRefType.get(kind.shape, signless(kind.element_type), kind.layout, space)
    return signless(kind)
