"""The default schedule of reductions along fewer columns than vectors have elements, as a softmax along the
channels of a short signal: LLVM would compute element by element."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, linalg
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.target import lanes, target_of
from mlc.passes.schedule.common.plain import reads_columns, row_dims, schedule_rows
from mlc.passes.schedule.cpu.epilogue import vectorises

# Ops of bodies that become vector ops.
_SCALAR = ("arith.", "math.", linalg.Yield.NAME)


def schedule_narrow_columns(
    kernel: ir.Operation, root: Computation, everything: Sequence[Computation]
) -> bool:
    """Schedules a parallel loop over rows, in which each step computes all columns as one vector; returns
    False for other kernels."""
    if not root.parallel or not all(map(vectorises, everything)):
        return False
    columns = root.extents[root.parallel[-1]]
    if not 1 < columns < lanes(target_of(kernel)):
        return False
    if not all(_computes_columns(computation, columns) for computation in everything):
        return False
    rows = row_dims(root)
    if root.parallel[-1] not in rows or not any(computation.reductions for computation in everything):
        return False
    scheduled = schedule_rows(kernel, root, rows)
    if scheduled is None:
        return False
    for computation in everything:
        if not computation.reductions:
            column = computation.parallel[-1]
            others = [dim for dim, extent in enumerate(computation.extents) if dim != column and extent > 1]
            if others:
                scheduled.tile(computation, dict.fromkeys(others, 1))
    scheduled.builder.vectorize([scheduled.block(computation) for computation in everything])
    return True


def _computes_columns(computation: Computation, columns: int) -> bool:
    """Whether the computation has the columns as its last dim, and consists of arithmetic on operands whose
    dims it walks along."""
    if computation.dynamic or not linalg.Generic.isa(computation.op) or not computation.parallel:
        return False
    if computation.extents[computation.parallel[-1]] != columns:
        return False
    if computation.reductions and not reads_columns(computation):
        return False
    results = [result for read in computation.maps for result in read.results]
    body = computation.op.regions[0].blocks[0].operations
    return all(map(_is_plain, results)) and all(op.name.startswith(_SCALAR) for op in body)


def _is_plain(expression: ir.AffineExpr) -> bool:
    """Whether an operand is read along a dim, or at one index."""
    return dim_position(expression) is not None or isinstance(expression, ir.AffineConstantExpr)
