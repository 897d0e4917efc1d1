"""Multicast copies, which the blocks of a cluster share: the part of each block, and when they are legal."""

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
    """The part of a tile that each of `blocks` blocks copies: `counts` elements along each dim of the memref;
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
        """Rows of the part."""
        return math.prod(self.counts[:-1])


def part_of(copy: ir.Operation, width: int) -> MulticastShare | None:
    """Returns a block's part of an `accel.copy`: all of it unless it is multicast. The parts are panels of
    `width` columns if the blocks divide their count, else equal parts along the first dim with more than one
    element. None if the tile has no equal parts."""
    counts, _ = box_of(copy)
    blocks, last = _blocks(copy), len(counts) - 1
    whole = counts[last] // width % blocks == 0
    dim = last if whole else next((dim for dim, count in enumerate(counts[:last]) if count > 1), last)
    if not whole and (dim == last or counts[dim] % blocks):
        return None
    counts[dim] //= blocks
    return MulticastShare(tuple(counts), dim, blocks)


def _blocks(copy: ir.Operation) -> int:
    """The number of blocks of a cluster that copy the same tile."""
    dim = accel.Copy(copy).multicast
    return 1 if dim is None else cluster_around(copy)[dim]


def is_uniform(copy: ir.Operation) -> bool:
    """Whether blocks that differ only along the dim of a multicast copy the same tile."""
    dim = accel.Copy(copy).multicast
    if dim is None:
        return True
    launch = launch_around(copy)
    assert launch is not None, "copies are in launches"
    return not depends_on(copy.operands, block_index(launch, dim))


def block_index(launch: ir.Operation, dim: int) -> ir.Value:
    """Returns the index of a launch's thread block along a dim of the grid."""
    return accel.Launch(launch).arguments[dim]


def depends_on(values: Iterable[ir.Value], source: ir.Value) -> bool:
    """Whether a value is computed from `source`, through ops, loop bounds and values that loops carry."""
    waiting, seen = list(values), set[ir.Value]()
    while waiting:
        value = waiting.pop()
        if value == source:
            return True
        if value not in seen:
            seen.add(value)
            waiting += _dependences(value)
    return False


def _dependences(value: ir.Value) -> list[ir.Value]:
    if not isinstance(value, ir.BlockArgument):
        return list(value.owner.operands)
    around = value.owner.owner.operation
    return [] if around.name == accel.Launch.NAME else list(around.operands)
