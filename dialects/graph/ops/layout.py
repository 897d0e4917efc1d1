"""The ops `pack` and `unpack`: blocked layouts, with the semantics of linalg.pack."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.ops.movement import movement
from mlc.dialects.graph.shape_rules import check_axes, check_least, check_length, text
from mlc.dialects.graph.sizes import differ
from mlc.dialects.graph.spec import Attribute, Dim, GraphTensor, OpCall, Shape, ShapeError

_INNER_DIMS = Attribute("inner_dims", "ints", "the plain tensor's axes that are split into tiles")
_INNER_TILES = Attribute("inner_tiles", "ints", "the tile size of each of them, at least 1")
_OUTER_PERMUTATION = Attribute(
    "outer_permutation", "ints", "the outer dims' order in the packed tensor; empty: as they are", []
)


def _check_tiles(call: OpCall, rank: int) -> None:
    """Raises ShapeError unless the attributes fit the plain tensor's rank."""
    check_axes("inner_dims", call.inner_dims, rank)
    check_length("inner_tiles", call.inner_tiles, len(call.inner_dims), "one per entry of inner_dims")
    check_least("inner_tiles", call.inner_tiles, 1)
    if call.outer_permutation:
        check_length("outer_permutation", call.outer_permutation, rank, "one per plain dim")
        check_axes("outer_permutation", call.outer_permutation, rank)


def packed_shape(
    shape: Shape, inner_dims: Sequence[int], inner_tiles: Sequence[int], outer_permutation: Sequence[int]
) -> Shape:
    """Returns the packed shape of a plain one: outer dims (rounded up, permuted), then the tiles."""
    outer = list(shape)
    for axis, tile in zip(inner_dims, inner_tiles, strict=True):
        outer[axis] = _ceil_div(outer[axis], tile)
    return (*(outer[axis] for axis in outer_permutation or range(len(outer))), *inner_tiles)


def _ceil_div(dim: Dim, tile: int) -> Dim:
    return None if dim is None else -(-dim // tile)


def _pack(call: OpCall) -> GraphTensor:
    _check_tiles(call, call.x.rank)
    for axis, tile in zip(call.inner_dims, call.inner_tiles, strict=True):
        dim = call.x.shape[axis]
        if call.padding is None and dim is not None and differ(dim % tile, 0):
            raise ShapeError(
                "inner_tiles",
                f"{text(call.inner_tiles)}: {tile} does not divide dim {axis} (no padding): {call.x}",
            )
    return GraphTensor(
        packed_shape(call.x.shape, call.inner_dims, call.inner_tiles, call.outer_permutation), call.x.element
    )


movement(
    "pack",
    "plain to blocked layout",
    "The outer dims are x's, those of `inner_dims` divided by their tiles (rounded up where `padding` is "
    "given) and all put in `outer_permutation`'s order; the tiles follow as inner dims.",
    "made by layout passes (linalg.pack)",
    _pack,
    attributes=(
        _INNER_DIMS,
        _INNER_TILES,
        _OUTER_PERMUTATION,
        Attribute("padding", "scalar", "fills the last tiles; absent: the tiles divide the dims", None),
    ),
)


def _unpack(call: OpCall) -> GraphTensor:
    rank = call.x.rank - len(call.inner_tiles)
    if rank < 0:
        raise ShapeError(
            "inner_tiles", f"{text(call.inner_tiles)} has more entries than x has dims: {call.x}"
        )
    _check_tiles(call, rank)
    if any(
        dim is not None and differ(dim, tile)
        for dim, tile in zip(call.x.shape[rank:], call.inner_tiles, strict=True)
    ):
        raise ShapeError("inner_tiles", f"{text(call.inner_tiles)} are not x's inner dims: {call.x}")
    outer = _plain_order(call.x.shape[:rank], call.outer_permutation)
    if call.shape is not None:
        return GraphTensor(_read_shape(call, outer), call.x.element)
    for axis, tile in zip(call.inner_dims, call.inner_tiles, strict=True):
        outer[axis] = None if outer[axis] is None else outer[axis] * tile
    return GraphTensor(tuple(outer), call.x.element)


def _plain_order(outer: Shape, permutation: Sequence[int]) -> list[Dim]:
    plain = list(outer)
    for position, axis in enumerate(permutation):
        plain[axis] = outer[position]
    return plain


def _read_shape(call: OpCall, outer: list[Dim]) -> Shape:
    """Returns the attribute `shape`; raises ShapeError unless packing it gives x."""
    check_length("shape", call.shape, len(outer), "one per plain dim")
    check_least("shape", call.shape, -1)
    shape = tuple(None if dim == -1 else dim for dim in call.shape)
    tiles = dict(zip(call.inner_dims, call.inner_tiles, strict=True))
    for axis, (dim, blocks) in enumerate(zip(shape, outer, strict=True)):
        expected = _ceil_div(dim, tiles.get(axis, 1))
        if expected is not None and blocks is not None and differ(expected, blocks):
            raise ShapeError(
                "shape",
                f"{text(call.shape)} does not pack to x, dim {axis}: {expected} against {blocks}, {call.x}",
            )
    return shape


movement(
    "unpack",
    "blocked to plain layout, dropping padding",
    "The inverse of `pack` with the same attributes. `shape` gives the plain dims (-1: not known); absent, "
    "each is blocks times tile.",
    "made by layout passes (linalg.unpack)",
    _unpack,
    attributes=(
        _INNER_DIMS,
        _INNER_TILES,
        _OUTER_PERMUTATION,
        Attribute("shape", "ints", "the plain dims, where padding is dropped", None),
    ),
)
