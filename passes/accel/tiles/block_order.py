"""Which tiles thread blocks take, by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir
from mlc.passes.accel.tiles.representations import Index, add, as_value, multiply
from mlc.passes.base import PassError

# On a loop over tiles: how many neighbours along each dim with several tiles are the work of a cluster, and
# how many clusters a group has.
CLUSTER, GROUP = "accel.cluster", "accel.group"


@dataclass(frozen=True)
class BlockOrder:
    """The order of `counts` tiles along each dim: groups one behind the other, the last dim's neighbours next
    to each other, and likewise the clusters of a group."""

    counts: list[int]
    cluster: list[int]
    group: list[int]

    @property
    def grid(self) -> list[int]:
        """A dim for each one along which a cluster has several blocks, then one for the clusters."""
        return [*self.clusters, prod(self.counts) // prod(self.cluster)]

    @property
    def clusters(self) -> list[int]:
        """Blocks of a cluster along all dims of the grid but the last."""
        return [size for size in self.cluster if size > 1]

    def places(self, block: Sequence[ir.Value]) -> list[Index]:
        """The tile of the block at a place of the grid."""
        *inside, number = block
        sizes = zip(self.counts, self.cluster, self.group, strict=True)
        groups = [count // (cluster * group) for count, cluster, group in sizes]
        numbers = places_of(number, [*groups, *self.group])
        rest, places = iter(inside), []
        for dim, cluster in enumerate(self.cluster):
            place = add(multiply(numbers[dim], self.group[dim]), numbers[len(groups) + dim])
            places.append(add(multiply(place, cluster), next(rest)) if cluster > 1 else place)
        return places


def order_of(loop: ir.Operation, counts: list[int]) -> BlockOrder:
    """What a parallel loop over tiles asks for. Raises PassError if it does not divide the tiles."""
    cluster, group = (_sizes(loop, name, counts) for name in (CLUSTER, GROUP))
    sizes = zip(counts, cluster, group, strict=True)
    if any(count % (each * behind) for count, each, behind in sizes):
        raise PassError(
            f"clusters of {cluster} in groups of {group} do not divide {counts} tiles", loop.location
        )
    return BlockOrder(counts, cluster, group)


def _sizes(loop: ir.Operation, name: str, counts: list[int]) -> list[int]:
    """By dim; dims with one tile may have gone since the loop was given them."""
    if name not in loop.attributes:
        return [1] * len(counts)
    long = [dim for dim, count in enumerate(counts) if count > 1]
    given = list(ir.DenseI64ArrayAttr(loop.attributes[name]))
    if len(given) != len(long):
        raise PassError(
            f"{name} must have {len(long)} numbers, one for each dim with several tiles", loop.location
        )
    sizes = dict(zip(long, given, strict=True))
    return [sizes.get(dim, 1) for dim in range(len(counts))]


def places_of(number: ir.Value, counts: Sequence[int]) -> list[Index]:
    """The place in a grid that a number stands for, the last dim's neighbours next to each other."""
    places: list[Index] = []
    for count in reversed(counts[1:]):
        if count == 1:
            places.append(0)
            continue
        places.append(arith.RemUIOp(number, as_value(count)).result)
        number = arith.DivUIOp(number, as_value(count)).result
    if counts:
        places.append(number)
    return places[::-1]
