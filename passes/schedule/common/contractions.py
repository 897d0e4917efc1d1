"""Which contractions run along columns, and which sum products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import arith, ir
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.rewriting import terminator_of


def is_column_reduction(computation: Computation) -> bool:
    """Whether the result's last dim is the last dim of an input, or slides along it point by point: then
    vectors run along it."""
    if not computation.reductions or not computation.parallel:
        return False
    last = computation.parallel[-1]
    return any(
        indexing_map.results and _runs_along(list(indexing_map.results)[-1], last, computation.reductions)
        for indexing_map in computation.maps[:-1]
    )


def _runs_along(place: ir.AffineExpr, column: int, reductions: Sequence[int]) -> bool:
    """Whether `place` is the dim `column`, alone or plus a reduction dim, as in a window of stride 1."""
    if isinstance(place, ir.AffineAddExpr):
        window = dim_position(place.rhs)
        return dim_position(place.lhs) == column and window is not None and window in reductions
    return dim_position(place) == column


def is_multiply_add(computation: Computation) -> bool:
    """Whether the computation sums products as a matrix product does.

    Both inputs have the innermost reduction dim as a dim of their own, and only one has the columns: steps of
    the reduction can then be unrolled into multiply-adds of a number with a vector.
    """
    if len(computation.inputs) != 2 or not computation.reductions or not _sums_products(computation.op):
        return False
    innermost, column = computation.reductions[-1], computation.parallel[-1:]
    dims = [[dim_position(result) for result in each.results] for each in computation.maps[:-1]]
    return all(innermost in dim for dim in dims) and not all(set(column) & set(dim) for dim in dims)


def _sums_products(op: ir.Operation) -> bool:
    """Whether the body ends with `accumulator + a * b`."""
    block = op.regions[0].blocks[0]
    total = terminator_of(block).operands[0].owner
    if isinstance(total, ir.Block) or total.operation.name not in (arith.AddF.NAME, arith.AddI.NAME):
        return False
    terms = [value.owner for value in total.operation.operands]
    return any(
        not isinstance(term, ir.Block) and term.operation.name in (arith.MulF.NAME, arith.MulI.NAME)
        for term in terms
    )


def positions(sizes: Mapping[int, int]) -> list[int]:
    """Tile sizes by position, 0 for dims that are not tiled."""
    return [sizes.get(dim, 0) for dim in range(max(sizes) + 1)]
