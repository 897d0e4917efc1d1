"""graph-winograd: 3x3 convolutions of stride 1 as products in a transformed domain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from mlc.bindings import ir
from mlc.bindings.identity import address
from mlc.dialects import graph
from mlc.passes.base import Pass, option
from mlc.passes.graph.prepare_budget import DEFAULT_TEXT, check_budget, default_budget
from mlc.passes.graph.winograd_budget import affordable, spent_bytes
from mlc.passes.graph.winograd_candidates import KERNEL, Candidate, candidate_of
from mlc.passes.graph.winograd_matrices import kernel_matrix
from mlc.passes.rewriting import apply_patterns, collect_ops, replace_op

# Of the default budget of @prepare; the rest is for weights that are padded.
SHARE = 0.9


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


def to_winograd(op: ir.Operation, chosen: Mapping[int, Candidate]) -> bool:
    """conv(x, pack(w)) -> winograd_output(matmul_packed(winograd_input(x), transformed w))."""
    candidate = chosen.get(address(op))
    if candidate is None:
        return False
    tile = candidate.tile
    batch, _, height, width, block = graph.shape_of(op.results[0])
    places = graph.build("winograd_input", [op.operands[0]], {"tile": tile})
    products = graph.build("matmul_packed", [places, transformed_weight(candidate.weight, tile, block)])
    attributes = {"tile": tile, "shape": [batch, height, width]}
    replace_op(op, graph.build("winograd_output", [products], attributes))
    return True


def allowance(function: ir.Operation, budget: int) -> int:
    """The bytes by which weights may still grow; a `budget` of -1 stands for the default."""
    if budget < 0:
        budget = int(SHARE * default_budget(collect_ops(function, "graph.weight")))
    return budget - spent_bytes(function)


@dataclass(frozen=True)
class Winograd(Pass):
    """Compute 3x3 convolutions of stride 1 on blocked channels by Winograd's F(4, 3) or F(2, 3), with 4 or
    2.25 times fewer multiplications: the image's overlapping tiles are transformed, multiplied with the
    transformed weights (constant work, for `@prepare`), and transformed back.

    Tiles must cover the result exactly. Transformed weights are 4 or 1.8 times larger: those that save most
    multiplications for a byte come first, until they have grown by the budget. Against a direct convolution
    the error grows by a small factor, which stays within the class `rounding`.
    """

    name: ClassVar[str] = "graph-winograd"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    budget: int = option(
        -1, help=f"bytes by which weights may grow; -1: {SHARE:.0%} of what `@prepare` may ({DEFAULT_TEXT})"
    )

    def run(self, op: ir.Operation) -> bool:
        check_budget(self.budget, op.location)
        found = [candidate_of(each) for each in collect_ops(op, "graph.conv")]
        candidates = [each for each in found if each is not None]
        if not candidates:
            return False
        chosen = affordable(candidates, allowance(op, self.budget))
        by_address = {address(each.op): each for each in chosen}
        return apply_patterns(op, {"graph.conv": partial(to_winograd, chosen=by_address)})
