"""graph-winograd: 3x3 convolutions of stride 1 as products in a transformed domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.dialects.graph.sized_builders import sizes_vector
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import apply_patterns, collect_ops, replace_op
from mlc.passes.graph.prepare.prepare_budget import (
    LEAST_TRANSFORMED,
    check_budget,
    default_budget,
)
from mlc.passes.graph.winograd.candidates import KERNEL, Candidate, Candidates, affordable, spent_bytes
from mlc.passes.graph.winograd.cuts import cut, sink_cut, spatial, widen_input
from mlc.passes.graph.winograd.matrices import kernel_matrix


def transformed_weight(weight: ir.Value, tile: int, block: int) -> ir.Value:
    """`G w G^T` of a weight `[O, I, 3, 3]`, packed for `matmul_packed`: `[n*n, O/o, I, o]`."""
    outputs, inputs, *_ = graph.shape_of(weight)
    size = tile + KERNEL - 1
    matrix = np.array(kernel_matrix(tile), np.float64).T.astype(np.float32)
    constant = graph.build("constant", [], {"value": matrix})
    columns = graph.build("matmul", [weight, constant])
    turned = graph.build("transpose", [columns], {"permutation": [0, 1, 3, 2]})
    both = graph.build("matmul", [turned, constant])
    by_coordinates = graph.build("transpose", [both], {"permutation": [3, 2, 1, 0]})
    flat = graph.build("reshape", [by_coordinates], {"shape": [size * size, inputs, outputs]})
    packing = {"inner_dims": [2], "inner_tiles": [block], "outer_permutation": [0, 2, 1]}
    return graph.build("pack", [flat], packing)


def to_winograd(op: ir.Operation, chosen: Mapping[int, Candidate]) -> bool:
    """conv(x, pack(w)) -> winograd_output(matmul_packed(winograd_input(x), transformed w))."""
    candidate = chosen.get(address(op))
    if candidate is None:
        return False
    surplus = candidate.surplus
    batch, _, *extent, _ = graph.dims_of(graph.Conv(op).result)
    block = graph.shape_of(graph.Conv(op).result)[-1]
    x = widen_input(op, surplus) if any(surplus) else graph.Conv(op).x
    attributes = {"tile": candidate.tile}
    transformed = graph.build("winograd_input", [x], attributes)
    weight = transformed_weight(candidate.weight, candidate.tile, block)
    products = graph.build("matmul_packed", [transformed, weight])
    whole = [size + more for size, more in zip(extent, surplus, strict=True)]
    result = build_output(products, candidate.tile, [batch, *whole])
    if not any(surplus):
        replace_op(op, result)
        return True
    part = cut(result, spatial(graph.Conv(op).result))
    replace_op(op, part)
    sink_cut(part)
    return True


def build_output(products: ir.Value, tile: int, dims: Sequence[int | Size]) -> ir.Value:
    """Builds a `winograd_output` of images whose batch, rows and columns are `dims`."""
    shape = [dim if isinstance(dim, int) else -1 for dim in dims]
    sizes = [sizes_vector(dims)] if -1 in shape else []
    return graph.build("winograd_output", [products, *sizes], {"tile": tile, "shape": shape})


def allowance(function: ir.Operation, budget: int) -> int:
    """The bytes by which weights may still grow; a `budget` of -1 stands for the default."""
    if budget < 0:
        budget = default_budget(collect_ops(function, graph.Weight.NAME), LEAST_TRANSFORMED)
    return budget - spent_bytes(function)


@dataclass(frozen=True)
class Winograd(Pass):
    """Compute 3x3 convolutions of stride 1 on blocked channels by Winograd's F(4, 3) or F(2, 3), with 4 or
    2.25 times fewer multiplications: the image's overlapping tiles are transformed, multiplied with the
    transformed weights (constant work, for `@prepare`), and transformed back.

    Where full tiles exceed the result, its input is padded further, and the surplus is cut off before
    the next padding, which clears it; so one must follow. Transformed weights are 4 or 1.8 times larger:
    those that save most multiplications for a byte come first, until they have grown by the budget. Against
    a direct convolution the error grows by a small factor, which stays within the class `rounding`.
    """

    name: ClassVar[str] = "graph-winograd"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    budget: int = option(
        -1,
        help="bytes by which transformed weights may exceed weights; -1: a quarter of the weights, at least "
        "128 MiB",
    )

    def run(self, op: ir.Operation) -> bool:
        check_budget(self.budget, op.location)
        candidates = Candidates()
        for conv in reversed(collect_ops(op, graph.Conv.NAME)):
            candidates.add(conv)
        if not candidates.found:
            return False
        chosen = affordable(candidates.found[::-1], allowance(op, self.budget))
        by_address = {address(candidate.op): candidate for candidate in chosen}
        return apply_patterns(op, {graph.Conv.NAME: partial(to_winograd, chosen=by_address)})
