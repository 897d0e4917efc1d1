"""Which convolutions Winograd's algorithm can compute, and in tiles of which size."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.values import is_constant, is_static
from mlc.passes.graph.winograd_strips import MOST_BYTES, choose_strip, moved_bytes
from mlc.passes.remarks import missed
from mlc.passes.rewriting import defining_op

KERNEL = 3
# F(6, 3) loses about two digits; the others stay within a few ulp of a direct convolution's error.
TILES = (4, 2)
# Below these the transforms cost more than the products save.
FEWEST_CHANNELS, FEWEST_TILES = 32, 16


def plain_weight(op: ir.Operation) -> ir.Value | None:
    """The constant weight `[O, I, 3, 3]` that a blocked convolution reads packed; None for another kernel."""
    pack = defining_op(op.operands[1], "graph.pack")
    if pack is None or graph.attribute(pack, "inner_dims") != [1, 0]:
        return None
    weight = pack.operands[0]
    fits = list(graph.shape_of(weight)[2:]) == [KERNEL, KERNEL] and is_constant(weight)
    return weight if fits else None


def is_direct(op: ir.Operation) -> bool:
    """Whether the convolution visits each place of an unpadded image of known shape, with one group."""
    ones = (*graph.attribute(op, "strides"), *graph.attribute(op, "dilations"))
    plain = graph.attribute(op, "group") == 1 and graph.attribute(op, "layout") == "NCHWc"
    pads = any(graph.attribute(op, "pads"))
    return plain and ones == (1, 1, 1, 1) and not pads and all(map(is_static, (*op.operands, *op.results)))


def choose_tile(op: ir.Operation) -> int | None:
    """The largest tile that covers the result exactly; None where the transforms would not pay."""
    batch, _, height, width, block = graph.shape_of(op.results[0])
    tile = next((each for each in TILES if height % each == 0 and width % each == 0), None)
    if tile is None:
        missed(op, "graph-winograd", f"its result of {height} x {width} is no whole number of tiles")
        return None
    _, blocks, _, _, input_block = graph.shape_of(op.operands[0])
    outputs = graph.shape_of(op.results[0])[1] * block
    tiles = batch * (height // tile) * (width // tile)
    if min(blocks * input_block, outputs) < FEWEST_CHANNELS or tiles < FEWEST_TILES:
        missed(op, "graph-winograd", f"{tiles} tiles of {outputs} channels do not pay for the transforms")
        return None
    moved = moved_bytes((tile + KERNEL - 1) ** 2, tiles, blocks * input_block + outputs)
    strip = choose_strip(tile, height // tile, width // tile, blocks * input_block)
    if moved > MOST_BYTES and strip is None:
        missed(op, "graph-winograd", f"its transformed images of {moved} bytes do not stay in caches")
        return None
    return tile


@dataclass(frozen=True)
class Candidate:
    """A convolution with the constant weight `[O, I, 3, 3]`, for which F(tile, 3) pays."""

    op: ir.Operation
    weight: ir.Value
    tile: int


def candidate_of(op: ir.Operation) -> Candidate | None:
    """The convolution as a candidate; None where it has to stay."""
    weight = plain_weight(op) if graph.attribute(op, "layout") == "NCHWc" else None
    if weight is None or not is_direct(op) or not isinstance(graph.element_type(weight), ir.F32Type):
        return None
    tile = choose_tile(op)
    return None if tile is None else Candidate(op, weight, tile)
