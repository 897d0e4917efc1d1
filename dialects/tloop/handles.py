"""Checks of the schedule primitives' handles and of sizes that may be sampled."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ext, ir
from mlc.dialects.tloop.dialect import BlockType, LoopType, ValueType

# In sizes and factors: the next operand of type `!tloop.value`.
SAMPLED = -2
# In factors of a split: as many iterations as the other factors leave.
REST = -1


def is_block(handle: ir.Value) -> bool:
    """Whether `handle` stands for computations."""
    return isinstance(handle.type.maybe_downcast(), BlockType)


def is_loop(handle: ir.Value) -> bool:
    """Whether `handle` stands for loops."""
    return isinstance(handle.type.maybe_downcast(), LoopType)


def is_value(handle: ir.Value) -> bool:
    """Whether `handle` stands for a sampled integer."""
    return isinstance(handle.type.maybe_downcast(), ValueType)


def target_fault(op: ext.Operation, first: int) -> str:
    """Returns what is wrong with operand `first`, which must be a block or a loop, or ""."""
    handle = op.operation.operands[first]
    if is_block(handle) or is_loop(handle):
        return ""
    return f"operand #{first} must be a !tloop.block or a !tloop.loop, but is a {handle.type}"


def sampled_fault(op: ext.Operation, name: str, sizes: Sequence[int]) -> str:
    """Returns what is wrong with the number of sampled sizes, or ""."""
    wanted = sum(size == SAMPLED for size in sizes)
    given = sum(is_value(operand) for operand in op.operation.operands)
    if wanted == given:
        return ""
    return f"{name} leave {wanted} to sampled values ({SAMPLED}), but there are {given} operands for them"
