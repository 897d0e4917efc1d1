"""graph-winograd: 3x3 convolutions of stride 1 as products in a transformed domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.values import is_constant, is_static
from mlc.passes.graph.winograd_matrices import kernel_matrix
from mlc.passes.graph.winograd_strips import SEPARATE_BYTES, choose_strip, moved_bytes
from mlc.passes.remarks import missed
from mlc.passes.rewriting import apply_patterns, defining_op, replace_op

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
    if moved > SEPARATE_BYTES and strip is None:
        missed(op, "graph-winograd", f"its transformed images of {moved} bytes do not stay in caches")
        return None
    return tile


def transformed_weight(weight: ir.Value, tile: int, block: int) -> ir.Value:
    """`G w G^T` of a weight `[O, I, 3, 3]`, packed for `matmul_packed`: `[n*n, O/o, I, o]`."""
    outputs, inputs, *_ = graph.shape_of(weight)
    size = tile + KERNEL - 1
    matrix = np.array(kernel_matrix(tile), np.float64).T.astype(np.float32)
    constant = graph.build("constant", [], {"value": matrix})
    columns = graph.build("matmul", [weight, constant])
    turned = graph.build("transpose", [columns], {"permutation": [0, 1, 3, 2]})
    both = graph.build("matmul", [turned, constant])
    by_place = graph.build("transpose", [both], {"permutation": [3, 2, 1, 0]})
    flat = graph.build("reshape", [by_place], {"shape": [size * size, inputs, outputs]})
    packing = {"inner_dims": [2], "inner_tiles": [block], "outer_permutation": [0, 2, 1]}
    return graph.build("pack", [flat], packing)


def to_winograd(op: ir.Operation) -> bool:
    """conv(x, pack(w)) -> winograd_output(matmul_packed(winograd_input(x), transformed w))."""
    weight = plain_weight(op) if graph.attribute(op, "layout") == "NCHWc" else None
    if weight is None or not is_direct(op) or not isinstance(graph.element_type(weight), ir.F32Type):
        return False
    tile = choose_tile(op)
    if tile is None:
        return False
    batch, _, height, width, block = graph.shape_of(op.results[0])
    places = graph.build("winograd_input", [op.operands[0]], {"tile": tile})
    products = graph.build("matmul_packed", [places, transformed_weight(weight, tile, block)])
    attributes = {"tile": tile, "shape": [batch, height, width]}
    replace_op(op, graph.build("winograd_output", [products], attributes))
    return True


@dataclass(frozen=True)
class Winograd(Pass):
    """Compute 3x3 convolutions of stride 1 on blocked channels by Winograd's F(4, 3) or F(2, 3), with 4 or
    2.25 times fewer multiplications: the image's overlapping tiles are transformed, multiplied with the
    transformed weights (constant work, for `@prepare`), and transformed back.

    Tiles must cover the result exactly. Against a direct convolution the error grows by a small factor, which
    stays within the class `rounding`.
    """

    name: ClassVar[str] = "graph-winograd"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {"graph.conv": to_winograd})
