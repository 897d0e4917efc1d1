"""The types of a program of blocks lowered to the CPU."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects.accel.dialect import SHARED
from mlc.passes.common.signedness import signless


def cpu_type(old: ir.Type) -> ir.Type:
    """Returns the type on the CPU: tiles become tensors, shared memory the default space, and integers
    signless."""
    if isinstance(old, ir.VectorType):
        return ir.RankedTensorType.get(old.shape, signless(old.element_type))
    if isinstance(old, ir.MemRefType):
        space = None if str(old.memory_space) == SHARED else old.memory_space
        return ir.MemRefType.get(old.shape, signless(old.element_type), old.layout, space)
    return signless(old)
