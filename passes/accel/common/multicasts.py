"""Copies that the blocks of a cluster do together: which of them are alike, and who copies which part."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import accel
from mlc.dialects.accel import box_of, cluster_around, launch_around

# The dim of the grid along which a copy is for all blocks of a cluster, or those of a notification.
MULTICAST = "multicast"


@dataclass(frozen=True)
class MulticastShare:
    """What each of `blocks` blocks copies of a tile: `counts` elements along each dim of the memref, of which
    the tile has `blocks` times as many along `dim`."""

    counts: tuple[int, ...]
    dim: int
    blocks: int

    @property
    def of_columns(self) -> bool:
        """Whether the parts are columns of the tile, not rows."""
        return self.dim == len(self.counts) - 1

    @property
    def rows(self) -> int:
        """Of the part."""
        return math.prod(self.counts[:-1])


def part_of(copy: ir.Operation, width: int) -> MulticastShare | None:
    """A block's part of an `accel.copy`, which is all of it unless it is multicast: panels of `width` columns
    where there are as many as blocks or a multiple, equal parts along the first long dim otherwise. None if
    the tile has no equal parts."""
    counts, _ = box_of(copy)
    blocks, last = _blocks(copy), len(counts) - 1
    whole = counts[last] // width % blocks == 0
    dim = last if whole else next((dim for dim, count in enumerate(counts[:last]) if count > 1), last)
    if not whole and (dim == last or counts[dim] % blocks):
        return None
    counts[dim] //= blocks
    return MulticastShare(tuple(counts), dim, blocks)


def _blocks(copy: ir.Operation) -> int:
    """How many blocks of a cluster copy the same tile."""
    if MULTICAST not in copy.attributes:
        return 1
    return cluster_around(copy)[copy.attributes[MULTICAST].value]


def is_uniform(copy: ir.Operation) -> bool:
    """Whether blocks that differ only along the dim of a multicast copy copy the same."""
    if MULTICAST not in copy.attributes:
        return True
    launch = launch_around(copy)
    assert launch is not None, "copies are in launches"
    return not depends_on(copy.operands, block_index(launch, copy.attributes[MULTICAST].value))


def block_index(launch: ir.Operation, dim: int) -> ir.Value:
    """The place of a launch's block along a dim of the grid."""
    return launch.regions[0].blocks[0].arguments[dim]


def depends_on(values: Iterable[ir.Value], place: ir.Value) -> bool:
    """Whether indices are computed of a block's place, by arithmetic and as counters of loops."""
    waiting, seen = list(values), set[ir.Value]()
    while waiting:
        value = waiting.pop()
        if value == place:
            return True
        if value not in seen:
            seen.add(value)
            waiting += _made_of(value)
    return False


def _made_of(value: ir.Value) -> list[ir.Value]:
    if not isinstance(value, ir.BlockArgument):
        return list(value.owner.operands)
    around = value.owner.owner.operation
    return [] if around.name == accel.Launch.NAME else list(around.operands)
