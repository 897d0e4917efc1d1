"""tloop-share-addresses: loads at constant distances from each other share one address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from mlc.bindings import ir, memref
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.vector.index_offsets import offset_by, split_offset

# Fewer loads hold their addresses in registers without harm.
FEWEST = 4


@dataclass
class AddressGroup:
    """Loads from one buffer in one block, whose indices differ by constants."""

    loads: list[ir.Operation] = field(default_factory=list)
    offsets: list[list[int]] = field(default_factory=list)


def share_bases(root: ir.Operation) -> None:
    """Replaces loads in one block at constant distances by loads from a view that begins at their least
    indices."""
    groups: dict[tuple[object, ...], AddressGroup] = {}
    for load in collect_ops(root, memref.Load.NAME):
        parts = [split_offset(index) for index in memref.Load(load).indices]
        key = (load.block, memref.Load(load).memref, *(part for part, _ in parts))
        group = groups.setdefault(key, AddressGroup())
        group.loads.append(load)
        group.offsets.append([offset for _, offset in parts])
    for group in groups.values():
        if len(group.loads) >= FEWEST:
            _share(group)


def _share(group: AddressGroup) -> None:
    least, most = ([bound(column) for column in zip(*group.offsets, strict=True)] for bound in (min, max))
    first = group.loads[0]
    with ir.InsertionPoint(first), first.location:
        base = _base_indices(memref.Load(first), group.offsets[0], least)
        view = _view(memref.Load(first).memref, base, most, least)
        distances = [[index - low for index, low in zip(row, least, strict=True)] for row in group.offsets]
        constants = {index: index_constant(index) for index in sorted({x for row in distances for x in row})}
        for load, indices in zip(group.loads, distances, strict=True):
            with ir.InsertionPoint(load):
                value = memref.load(view, [constants[index] for index in indices])
            memref.Load(load).result.replace_all_uses_with(value)
    for load in group.loads:
        load.erase()


def _base_indices(load: memref.Load, offsets: Sequence[int], least: Sequence[int]) -> list[ir.Value]:
    """Builds the indices of the view's first element: those of `load` less its distance from it."""
    return [
        index if offset == low else offset_by(index, low - offset)
        for index, offset, low in zip(load.indices, offsets, least, strict=True)
    ]


def _view(source: ir.Value, base: Sequence[ir.Value], most: Sequence[int], least: Sequence[int]) -> ir.Value:
    type_ = ir.MemRefType(source.type)
    sizes = [high - low + 1 for high, low in zip(most, least, strict=True)]
    strides, _ = type_.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    layout = ir.StridedLayoutAttr.get(dynamic, strides)
    result = ir.MemRefType.get(sizes, type_.element_type, layout, type_.memory_space)
    rank = len(sizes)
    unknown = ir.ShapedType.get_dynamic_size()
    return memref.SubViewOp(result, source, list(base), [], [], [unknown] * rank, sizes, [1] * rank).result


@dataclass(frozen=True)
class ShareAddresses(Pass):
    """Give loads from one buffer whose indices differ by constants a view in which they are constants.

    The rows of a register tile then take one address register and constants in the instructions. LLVM would
    keep an address for each row, more than there are registers.
    """

    name: ClassVar[str] = "tloop-share-addresses"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        share_bases(op)
