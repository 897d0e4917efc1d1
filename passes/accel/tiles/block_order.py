"""The order in which thread blocks compute tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir
from mlc.passes.accel.tiles.representations import Index, add, as_value, multiply
from mlc.passes.base import PassError

# Attributes of a loop over tiles: the adjacent tiles of a cluster, and the clusters of a group, along each
# dim with several tiles.
CLUSTER, GROUP = "accel.cluster", "accel.group"


@dataclass(frozen=True)
class BlockOrder:
    """The order of `counts` tiles along each dim: group after group, the last dim fastest, and likewise the
    clusters of a group."""

    counts: list[int]
    cluster: list[int]
    group: list[int]

    @property
    def grid(self) -> list[int]:
        """A dim for each dim along which clusters have several blocks, then one for the clusters."""
        return [*self.clusters, prod(self.counts) // prod(self.cluster)]

    @property
    def clusters(self) -> list[int]:
        """Blocks of a cluster along all dims of the grid but the last."""
        return [size for size in self.cluster if size > 1]

    def tile(self, block: Sequence[ir.Value]) -> list[Index]:
        """Builds the coordinates of the tile of a block, whose coordinates in the grid are `block`."""
        *inside, linear = block
        sizes = zip(self.counts, self.cluster, self.group, strict=True)
        groups = [count // (cluster * group) for count, cluster, group in sizes]
        indices = delinearize(linear, [*groups, *self.group])
        rest, coordinates = iter(inside), []
        for dim, cluster in enumerate(self.cluster):
            index = add(multiply(indices[dim], self.group[dim]), indices[len(groups) + dim])
            coordinates.append(add(multiply(index, cluster), next(rest)) if cluster > 1 else index)
        return coordinates


def order_of(loop: ir.Operation, counts: list[int]) -> BlockOrder:
    """Returns the order that a loop's attributes give. Raises PassError if it does not divide the tiles."""
    cluster, group = (_sizes(loop, name, counts) for name in (CLUSTER, GROUP))
    sizes = zip(counts, cluster, group, strict=True)
    if any(count % (blocks * clusters) for count, blocks, clusters in sizes):
        raise PassError(
            f"clusters of {cluster} in groups of {group} do not divide {counts} tiles", loop.location
        )
    return BlockOrder(counts, cluster, group)


def _sizes(loop: ir.Operation, name: str, counts: list[int]) -> list[int]:
    """The sizes in an attribute by dim; it has none for dims with one tile."""
    if name not in loop.attributes:
        return [1] * len(counts)
    long = [dim for dim, count in enumerate(counts) if count > 1]
    given = list(ir.DenseI64ArrayAttr(loop.attributes[name]))
    if len(given) != len(long):
        raise PassError(
            f"{name} must have {len(long)} integers, one for each dim with several tiles", loop.location
        )
    sizes = dict(zip(long, given, strict=True))
    return [sizes.get(dim, 1) for dim in range(len(counts))]


def delinearize(linear: ir.Value, counts: Sequence[int]) -> list[Index]:
    """Builds the coordinates in a grid of extents `counts` of a linear index, the last dim fastest."""
    coordinates: list[Index] = []
    for count in reversed(counts[1:]):
        if count == 1:
            coordinates.append(0)
            continue
        coordinates.append(arith.RemUIOp(linear, as_value(count)).result)
        linear = arith.DivUIOp(linear, as_value(count)).result
    if counts:
        coordinates.append(linear)
    return coordinates[::-1]
