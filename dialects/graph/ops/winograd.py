"""Winograd's minimal filtering: convolutions of stride 1 as products in a transformed domain.

Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2016). F(m, r) computes a tile of m x m
results of an r x r kernel from n x n inputs, n = m + r - 1, with n * n multiplications instead of m*m*r*r.
"""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT
from mlc.dialects.graph.shape_rules import check_least, check_length, check_rank, product
from mlc.dialects.graph.sizes import differ, falls_below
from mlc.dialects.graph.spec import (
    Attribute,
    Dim,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "winograd",
    "The two transforms around the products of Winograd's convolution F(m, r), with m the attribute `tile` "
    "and r the attribute `kernel`. Tiles are ordered by image, then row, then column; the n * n elements of "
    "a tile, n = m + r - 1, are the first dim, so that the products are batched over them. Images are NCHWc.",
)
TILE = Attribute("tile", "int", "results per tile and dim, m: 2, 4 or 6")
KERNEL = Attribute("kernel", "int", "extent of the convolution's kernel, r", 3)


def _tile_elements(call: OpCall) -> int:
    if call.tile not in (2, 4, 6):
        raise ShapeError("tile", f"must be 2, 4 or 6, but is {call.tile}")
    if call.kernel != 3:
        raise ShapeError("kernel", f"must be 3, but is {call.kernel}")
    return (call.tile + call.kernel - 1) ** 2


def _tiles(call: OpCall, name: str, extent: Dim, overlap: int) -> Dim:
    """Returns the number of tiles that cover the dim."""
    if extent is None:
        return None
    covered = extent - overlap
    if falls_below(covered, call.tile) or differ(covered % call.tile, 0):
        raise ShapeError(name, f"has a dim of {extent}, which tiles of {call.tile} do not cover exactly")
    return covered // call.tile


def _input(call: OpCall) -> GraphTensor:
    check_rank("x", call.x, 5, " ([N, C/c, H, W, c])")
    elements, overlap = _tile_elements(call), call.kernel - 1
    batch, blocks, height, width, block = call.x.shape
    rows, columns = (_tiles(call, "x", extent, overlap) for extent in (height, width))
    return GraphTensor((elements, product((batch, rows, columns)), product((blocks, block))), call.x.element)


def _output(call: OpCall) -> GraphTensor:
    check_rank("y", call.y, 4, " ([n*n, tiles, K/k, k])")
    check_length("shape", call.shape, 3, "N, H and W")
    check_least("shape", call.shape, 1)
    elements, tiles, blocks, block = call.y.shape
    batch, height, width = call.shape
    wanted = product((batch, *(_tiles(call, "shape", extent, 0) for extent in (height, width))))
    pairs = ((tiles, wanted), (elements, _tile_elements(call)))
    if any(one is not None and other is not None and differ(one, other) for one, other in pairs):
        raise ShapeError(
            "y", f"does not hold the {wanted} tiles of {_tile_elements(call)} elements: {call.y}"
        )
    return GraphTensor((batch, blocks, height, width, block), call.y.element)


define(
    OpSpec(
        "winograd_input",
        FAMILY,
        "overlapping tiles of an image, transformed",
        "x `[N, C/c, H, W, c]` with H and W multiples of m plus r - 1; result `[n*n, N * H/m * W/m, C]`.",
        ("made by layout passes",),
        (OperandSpec("x", FLOAT),),
        _input,
        (TILE, KERNEL),
    )
)
define(
    OpSpec(
        "winograd_output",
        FAMILY,
        "tiles of results, transformed back into an image",
        "y `[n*n, N * H/m * W/m, K/k, k]`, result `[N, K/k, H, W, k]`.",
        ("made by layout passes",),
        (OperandSpec("y", FLOAT),),
        _output,
        (TILE, KERNEL, Attribute("shape", "ints", "N, H and W of the result")),
    )
)
