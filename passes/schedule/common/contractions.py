"""Categories of contractions: reductions along columns, and sums of products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import arith, ir, linalg
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.rewriting import defining_op


def is_column_reduction(computation: Computation) -> bool:
    """Whether the result's last dim is the last dim of an input, or slides along it with stride 1, so that
    vectors run along it."""
    if not computation.reductions or not computation.parallel:
        return False
    last = computation.parallel[-1]
    return any(
        indexing_map.results and _runs_along(list(indexing_map.results)[-1], last, computation.reductions)
        for indexing_map in computation.maps[:-1]
    )


def _runs_along(index: ir.AffineExpr, column: int, reductions: Sequence[int]) -> bool:
    """Whether `index` is the dim `column`, alone or plus a reduction dim or a multiple of one, as in a window
    of stride 1."""
    if isinstance(index, ir.AffineAddExpr):
        step = index.rhs
        window = dim_position(step.lhs if isinstance(step, ir.AffineMulExpr) else step)
        return dim_position(index.lhs) == column and window is not None and window in reductions
    return dim_position(index) == column


def is_multiply_add(computation: Computation) -> bool:
    """Whether the computation sums products as a matrix product does.

    Both inputs are indexed by the innermost reduction dim alone, and only one by the columns: steps of the
    reduction can then be unrolled into multiply-adds of a scalar and a vector.
    """
    if len(computation.inputs) != 2 or not computation.reductions or not sums_products(computation.op):
        return False
    innermost, column = computation.reductions[-1], computation.parallel[-1:]
    dims = [list(map(dim_position, indexing_map.results)) for indexing_map in computation.maps[:-1]]
    return all(innermost in dim for dim in dims) and not all(set(column) & set(dim) for dim in dims)


def sums_products(op: ir.Operation) -> bool:
    """Whether the body ends with `accumulator + a * b`."""
    total = defining_op(linalg.Yield(linalg.Generic(op).terminator).values[0])
    if total is None or total.name not in (arith.AddF.NAME, arith.AddI.NAME):
        return False
    terms = map(defining_op, total.operands)
    return any(term is not None and term.name in (arith.MulF.NAME, arith.MulI.NAME) for term in terms)


def positions(sizes: Mapping[int, int]) -> list[int]:
    """Returns the tile sizes by position, 0 for dims that are not tiled."""
    return [sizes.get(dim, 0) for dim in range(max(sizes) + 1)]
