"""The convolutions that Winograd's algorithm can compute, with the size of their tiles.

Which Winograd convolutions the budget allows: transformed weights are larger than plain ones.

A weight `[O, I, 3, 3]` becomes `[n, n, I, O]`, which `graph-split-prepare` has @prepare compute, whatever its
own budget: transforms in every call would take longer than they save.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.dialects.graph.sized_builders import can_compute_dims
from mlc.passes.common.rewriting import users
from mlc.passes.graph.common.values import is_constant
from mlc.passes.graph.prepare.prepare_budget import elements, transformed_weights
from mlc.passes.graph.windows.blocked_channels import LIKELY_EXTENT
from mlc.passes.graph.winograd.cuts import Extent, can_sink_cut, exclusive_padding, spatial
from mlc.passes.graph.winograd.strips import MOST_BYTES, choose_strip, moved_bytes, strip_of_open
from mlc.passes.remarks import report_missed

FLOAT_BYTES = 4


@dataclass(frozen=True)
class CandidateGroup:
    """Convolutions that read one transformed weight, which costs once."""

    candidates: tuple[Candidate, ...]

    @property
    def growth(self) -> int:
        """Bytes that @prepare keeps beyond the plain weight; where others read that, all that it keeps."""
        weight, tile = self.candidates[0].weight, self.candidates[0].tile
        transformed = transformed_elements(elements(weight), tile)
        readers = {address(user) for pack in users(weight) for user in users(pack.results[0])}
        alone = readers <= {address(candidate.op) for candidate in self.candidates}
        return FLOAT_BYTES * (transformed - elements(weight) * alone)

    @property
    def benefit(self) -> float:
        """Multiplications saved per byte."""
        return sum(map(_saved_multiplications, self.candidates)) / self.growth


def transformed_elements(plain: int, tile: int) -> int:
    """Elements of a transformed weight that has `plain` ones of 3x3."""
    return plain // KERNEL**2 * (tile + KERNEL - 1) ** 2


def _saved_multiplications(candidate: Candidate) -> int:
    """Multiplications that the algorithm does without."""
    plain = elements(candidate.weight)
    return candidate.positions * plain - candidate.tiles * transformed_elements(plain, candidate.tile)


def spent_bytes(function: ir.Operation) -> int:
    """Bytes by which a function's transformed weights exceed plain ones."""
    weights = transformed_weights(function)
    plain = {weight: elements(weight) // graph.shape_of(weight)[0] * KERNEL**2 for weight in weights}
    return FLOAT_BYTES * sum(elements(weight) - plain[weight] for weight in weights)


def affordable(candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
    """The candidates whose weights grow by at most `budget` bytes together: those that save most for a byte
    first, of equals those that grow least."""
    weights: dict[tuple[ir.Value, int], list[Candidate]] = {}
    for candidate in candidates:
        weights.setdefault((candidate.weight, candidate.tile), []).append(candidate)
    groups = [CandidateGroup(tuple(sharing)) for sharing in weights.values()]
    chosen: list[Candidate] = []
    left = budget
    for group in sorted(groups, key=lambda group: (-group.benefit, group.growth)):
        if group.growth <= left:
            left -= group.growth
            chosen += group.candidates
            continue
        reason = f"its weight grows by {group.growth} bytes, more than is left of the budget of {budget}"
        for candidate in group.candidates:
            report_missed(candidate.op, "graph-winograd", reason)
    return chosen


KERNEL = 3
# F(6, 3) loses about two digits; the others stay within a few ulp of a direct convolution's error.
TILES = (4, 2)
# Below these the transforms cost more than the products save.
FEWEST_CHANNELS, FEWEST_TILES = 32, 16
# Channels of an image that is likely to have the likely extent.
LIKELY_CHANNELS = 64
# Multiplications in the time in which a number of a weight comes from memory.
LOAD = 13
# Fraction of a direct convolution's time; the transforms take the rest.
WORTH = 0.64


def likely_extent(channels: int) -> int:
    """Rows or columns of an image of unknown size: networks double the channels where they halve these."""
    return max(1, LIKELY_EXTENT * LIKELY_CHANNELS // channels)


def has_known_extent(op: ir.Operation) -> bool:
    """Whether the convolution's result has known rows and columns; the batch may be open."""
    return None not in spatial(graph.Conv(op).result)


def plain_weight(op: ir.Operation) -> ir.Value | None:
    """The constant weight `[O, I, 3, 3]` that a blocked convolution reads packed; None for another kernel."""
    pack = graph.Pack.defining(graph.Conv(op).w)
    if pack is None or list(pack.inner_dims) != [1, 0]:
        return None
    weight = pack.x
    fits = list(graph.shape_of(weight)[2:]) == [KERNEL, KERNEL] and is_constant(weight)
    return weight if fits else None


def is_direct(op: ir.Operation) -> bool:
    """Whether the convolution visits each pixel of an unpadded image, with one group."""
    conv = graph.Conv(op)
    plain = conv.group == 1 and conv.layout == "NCHWc" and not any(conv.pads)
    ones = (*conv.strides, *conv.dilations) == (1, 1, 1, 1)
    with ir.InsertionPoint(op):
        return plain and ones and can_compute_dims(graph.dims_of(conv.result))


@dataclass(frozen=True)
class Candidate:
    """A convolution with the constant weight `[O, I, 3, 3]`, for which F(tile, 3) pays; full tiles exceed
    its result by `surplus`."""

    op: ir.Operation
    weight: ir.Value
    tile: int

    @property
    def surplus(self) -> Extent:
        """Rows and columns by which full tiles exceed a result of known size, which are cut off later; of
        others they are not computed."""
        if not has_known_extent(self.op):
            return 0, 0
        height, width = self.extent
        return -height % self.tile, -width % self.tile

    @cached_property
    def extent(self) -> Extent:
        """Height and width of the result, likely ones where they are not known."""
        likely = likely_extent(self.channels[1])
        height, width = (likely if size is None else size for size in spatial(graph.Conv(self.op).result))
        return height, width

    @property
    def positions(self) -> int:
        """Elements of a channel of the result."""
        return (graph.shape_of(graph.Conv(self.op).result)[0] or 1) * prod(self.extent)

    @property
    def channels(self) -> tuple[int, int]:
        """The numbers of input and of output channels."""
        outputs, inputs, *_ = graph.shape_of(self.weight)
        return inputs, outputs

    @property
    def grid(self) -> Extent:
        """Rows and columns of tiles of an image."""
        height, width = self.extent
        return -(-height // self.tile), -(-width // self.tile)

    @property
    def tiles(self) -> int:
        """Tiles of all images of the batch."""
        return (graph.shape_of(graph.Conv(self.op).result)[0] or 1) * prod(self.grid)

    @property
    def pixels(self) -> int:
        """Products per tile and pair of channels."""
        return (self.tile + KERNEL - 1) ** 2

    @property
    def cost(self) -> float:
        """Time, relative to that of the direct convolution."""
        return self.pixels * (self.tiles + LOAD) / (KERNEL**2 * (self.positions + LOAD))

    def stays_in_caches(self) -> bool:
        """Whether the transformed images do, all together or strip by strip."""
        moved = moved_bytes(self.pixels, self.tiles, sum(self.channels))
        if not has_known_extent(self.op):
            return moved <= MOST_BYTES or strip_of_open(self.tile, *self.channels) is not None
        return moved <= MOST_BYTES or choose_strip(self.tile, *self.grid, self.channels[0]) is not None


class Candidates:
    """Finds them, readers first: their padding grows by what their own tiles exceed."""

    def __init__(self) -> None:
        self.found: list[Candidate] = []
        self.wider: dict[int, Extent] = {}

    def add(self, op: ir.Operation) -> None:
        """Looks at a convolution."""
        weight = plain_weight(op) if graph.Conv(op).layout == "NCHWc" else None
        if weight is None or not is_direct(op) or not isinstance(graph.element_type(weight), ir.F32Type):
            return
        candidate = self.best([Candidate(op, weight, tile) for tile in TILES])
        if candidate is None:
            return
        self.found.append(candidate)
        pad = exclusive_padding(op)
        if pad is not None:
            self.wider[address(pad)] = candidate.surplus

    def best(self, tilings: Sequence[Candidate]) -> Candidate | None:
        """Returns the tile size that takes the least time; reports why where none pays."""
        op = tilings[0].op
        covering = [tiling for tiling in tilings if self.covers(tiling)]
        if not covering:
            height, width = spatial(graph.Conv(op).result)
            reason = "is no whole number of tiles, and no padding follows that covers the rest"
            report_missed(op, "graph-winograd", f"its result of {height} x {width} {reason}")
            return None
        paying = [tiling for tiling in covering if pays(tiling)]
        if not paying:
            tiles, channels = covering[0].tiles, covering[0].channels
            reason = f"{tiles} tiles of {channels[1]} channels do not pay for the transforms"
            report_missed(op, "graph-winograd", reason)
            return None
        fitting = [tiling for tiling in paying if tiling.stays_in_caches()]
        if not fitting:
            report_missed(op, "graph-winograd", "its transformed images do not stay in caches")
        return min(fitting, key=lambda tiling: tiling.cost, default=None)

    def covers(self, candidate: Candidate) -> bool:
        """Whether tiles cover the result exactly, or what follows can cut off the rest."""
        if not any(candidate.surplus):
            return True
        result = graph.Conv(candidate.op).result
        return exclusive_padding(candidate.op) is not None and can_sink_cut(
            result, candidate.surplus, self.wider
        )


def pays(candidate: Candidate) -> bool:
    """Whether the products save more time than the transforms take."""
    enough = min(candidate.channels) >= FEWEST_CHANNELS and candidate.tiles >= FEWEST_TILES
    return enough and candidate.cost <= WORTH
