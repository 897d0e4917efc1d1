"""Winograd's minimal filtering: convolutions of stride 1 as products in a transformed domain.

Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2016). F(m, r) computes a tile of m x m
results of an r x r kernel from n x n inputs, n = m + r - 1, with n * n multiplications instead of m*m*r*r.
"""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT
from mlc.dialects.graph.ops.movement import DIMS, open_dims
from mlc.dialects.graph.shape_rules import check_length, check_rank, merge, product
from mlc.dialects.graph.sizes import falls_below
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
    """Returns the number of tiles that cover the dim, the last of which may reach beyond it."""
    if extent is None:
        return None
    if falls_below(extent, overlap + 1):
        raise ShapeError(name, f"has a dim of {extent}, but tiles need {overlap + 1} rows and columns")
    return (extent - overlap + call.tile - 1) // call.tile


def _input(call: OpCall) -> GraphTensor:
    check_rank("x", call.x, 5, " ([N, C/c, H, W, c])")
    elements, overlap = _tile_elements(call), call.kernel - 1
    batch, blocks, height, width, block = call.x.shape
    rows, columns = (_tiles(call, "x", extent, overlap) for extent in (height, width))
    return GraphTensor((elements, product((batch, rows, columns)), product((blocks, block))), call.x.element)


def _output(call: OpCall) -> GraphTensor:
    check_rank("y", call.y, 4, " ([n*n, tiles, K/k, k])")
    check_length("shape", call.shape, 3, "N, H and W")
    elements, tiles, blocks, block = call.y.shape
    batch, height, width = open_dims(call)
    wanted = product((batch, *(_tiles(call, "shape", extent, 0) for extent in (height, width))))
    pairs = ((tiles, wanted), (elements, _tile_elements(call)))
    for held, needed in pairs:
        merge("y", held, needed, f"does not hold the {wanted} tiles of {_tile_elements(call)} elements")
    return GraphTensor((batch, blocks, height, width, block), call.y.element)


define(
    OpSpec(
        "winograd_input",
        FAMILY,
        "overlapping tiles of an image, transformed",
        "x `[N, C/c, H, W, c]`; result `[n*n, N * ceil((H-r+1)/m) * ceil((W-r+1)/m), C]`. Tiles that reach "
        "beyond x read its last row and column there.",
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
        "y `[n*n, N * ceil(H/m) * ceil(W/m), K/k, k]`, result `[N, K/k, H, W, k]`, without what tiles "
        "compute beyond it. -1 stands for the entry of the operand `dims` (N, H and W) at run time.",
        ("made by layout passes",),
        (OperandSpec("y", FLOAT), DIMS),
        _output,
        (TILE, KERNEL, Attribute("shape", "ints", "N, H and W of the result")),
    )
)
