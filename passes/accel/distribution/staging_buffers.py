"""Shared memory of buffers that a program has done with, for tiles on their way out."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mlc.bindings import ir
from mlc.passes.accel.common.buffers import new_buffer, users, widest_swizzle
from mlc.passes.accel.common.shared_memory import element_bytes, plan
from mlc.passes.accel.threads.common.architecture import Architecture

# For tiles that change their layout, and numbers that warps exchange.
SPARE_BYTES = 32 << 10
_LAUNCH, _ROLES = "accel.launch", "accel.specialize"


def staging_buffer(
    launch: ir.Operation, store: ir.Operation, kind: ir.MemRefType, architecture: Architecture, spare: int
) -> ir.Value | None:
    """For a tile that is written at `store`: in the memory of a buffer that nothing uses from there on, else
    one of its own; None where shared memory has no room for it and `spare` bytes."""
    before = _memory_to_reuse(launch, store, _size(kind), swizzled=widest_swizzle(kind) > 0)
    if before is not None:
        with ir.InsertionPoint(store):
            return new_buffer(kind, before)
    if plan(launch, architecture.alignment).end + _size(kind) + spare > architecture.shared_limit:
        return None
    with ir.InsertionPoint.at_block_begin(launch.regions[0].blocks[0]):
        return new_buffer(kind)


def _memory_to_reuse(launch: ir.Operation, at: ir.Operation, size: int, *, swizzled: bool) -> ir.Value | None:
    """The smallest buffer of `size` bytes or more that nothing uses from the op `at` on, swizzled if what is
    to lie there is; None if there is none."""
    fitting = [
        each.results[0]
        for each in _allocs(launch)
        if _size(each.results[0].type) >= size
        and (each.attributes["swizzle"].value or not swizzled)
        and _is_done(each.results[0], at)
    ]
    return min(fitting, key=lambda each: _size(each.type), default=None)


def _allocs(launch: ir.Operation) -> Iterator[ir.Operation]:
    for each in launch.regions[0].blocks[0].operations:
        if each.operation.name == "accel.alloc":
            yield each.operation


def _size(kind: ir.MemRefType) -> int:
    """In bytes."""
    return math.prod(kind.shape) * element_bytes(kind.element_type)


def _is_done(buffer: ir.Value, at: ir.Operation) -> bool:
    """Whether all uses come before `at`, which runs once. What producers copy, consumers wait for before they
    use it: copies come before, too, if those uses do."""
    block, around = at.block, at.parent.operation
    if around.name not in (_LAUNCH, _ROLES):
        return False
    here = [each.operation for each in block.operations]
    before = here[: here.index(at)]
    found = [_ancestor(each, around) for each in users(buffer)]
    used = [each for each in found if each in here]
    return bool(used) and all(each in before for each in used) and _others_produce(found, used, around)


def _others_produce(found: list[ir.Operation], used: list[ir.Operation], around: ir.Operation) -> bool:
    """Whether the uses that are not in the block at hand are those of producers."""
    others = [each for each in found if each not in used]
    if around.name != _ROLES:
        return not others
    producers = [each.operation for each in around.regions[0].blocks[0].operations]
    return all(each in producers for each in others)


def _ancestor(op: ir.Operation, around: ir.Operation) -> ir.Operation:
    """The op right inside of `around` that has `op`, or is it; the outermost one if none is."""
    while (parent := op.parent) is not None and parent.operation != around:
        op = parent.operation
    return op
