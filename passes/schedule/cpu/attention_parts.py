"""The parts of attention in one kernel: computations that its schedule names, some of which it adds."""

from __future__ import annotations

from mlc.bindings import ir, linalg, tensor
from mlc.passes.common.computation import Computation, axis_of, root_computation
from mlc.passes.common.linalg_builders import affine_map, dims, extent_of, generic, tensor_type
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block, tagged_blocks
from mlc.passes.common.rewriting import users
from mlc.passes.schedule.common.copy_computations import insert_copy

# The computations for a block of queries, consumers first.
PARTS = (
    *("values", "values_init", "inverse", "total", "total_init", "powers"),
    *("top", "top_init", "masked", "scores", "scores_init", "queries"),
)


def name_attention_parts(kernel: ir.Operation) -> tuple[Computation, Computation, Computation] | None:
    """Tags all `PARTS` of a kernel with `scores` and `values`, and its root.

    Returns the root, the scores and the values, or None if there are none.
    """
    parts = name_given_parts(kernel)
    if parts is not None:
        name_queries(parts[1])
    return parts


def name_queries(scores: Computation) -> None:
    """Inserts and tags the computation that transposes the queries, which `scores` then reads."""
    name_block(_transpose_queries(scores), "queries")


def find_scores(kernel: ir.Operation) -> Computation | None:
    """Returns the scores of attention, without a change of the kernel; None if it computes none."""
    return next(
        (Computation(op) for op in tagged_blocks(kernel) if op.attributes[BLOCK_TAG].value == "scores"), None
    )


def name_given_parts(kernel: ir.Operation) -> tuple[Computation, Computation, Computation] | None:
    """Tags the parts and the root like `name_attention_parts`, without the transposed queries. It inserts
    parts that are missing, so it must be called once."""
    named = {op.attributes[BLOCK_TAG].value: op for op in tagged_blocks(kernel)}
    root = root_computation(kernel)
    if "scores" not in named or root is None:
        return None
    scores = Computation(named["scores"])
    for name in ("scores", "values", "top", "total"):
        name_block(_own_init(named[name]), f"{name}_init")
    name_block(_masked_scores(scores), "masked")
    name_block(root.op, "root")
    return root, Computation(named["scores"]), Computation(named["values"])


def _own_init(op: ir.Operation) -> ir.Operation:
    """Returns the initial value's computation, a clone if others start from it too."""
    init = Computation(op).init
    source = init.owner.operation
    if len(users(init)) > 1:
        with ir.InsertionPoint(op):
            source = source.clone().operation
        op.operands[len(op.operands) - 1] = source.result
    return source


def _transpose_queries(scores: Computation) -> ir.Operation:
    """Inserts a computation that transposes the queries, which `scores` then reads with the queries last."""
    source, read = scores.inputs[1], scores.maps[1]
    *leading, _, column, depth = range(scores.maps[1].n_dims)
    order = [*leading, depth, column]
    count = len(order)
    new_dim = {dim: position for position, dim in enumerate(order)}
    old = [
        ir.AffineExpr.get_dim(new_dim[ir.AffineDimExpr(result).position])
        if isinstance(result, ir.AffineDimExpr)
        else result
        for result in read.results
    ]
    with ir.InsertionPoint(scores.op), scores.op.location:
        sizes = [
            extent_of(source, axis_of(read, dim)) if dim in scores.dynamic else scores.extents[dim]
            for dim in order
        ]
        output = tensor.EmptyOp(sizes, tensor_type(source).element_type).result
        identity = affine_map(count, dims(count))
        packed = generic([source], [affine_map(count, old)], output, identity, lambda new, _old: new)
    view = linalg.Generic(scores.op)
    maps = view.indexing_maps
    maps[1] = affine_map(read.n_dims, [ir.AffineExpr.get_dim(dim) for dim in order])
    view.indexing_maps = maps
    scores.op.operands[1] = packed
    return packed.owner.operation


def _masked_scores(scores: Computation) -> ir.Operation:
    """Returns the computation that scales and masks the scores, or inserts a copy of them."""
    readers = users(scores.result)
    if len(readers) == 1 and not Computation(readers[0]).reductions:
        return readers[0]
    return insert_copy(scores.result, lasting=True).op
