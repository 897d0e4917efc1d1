"""What values that are larger than they need be are expanded from."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.dim_names import Shape
from mlc.passes.common.rewriting import defining_op


def dims_follow(expand: ir.Operation) -> bool:
    """Whether only dims of 1 become more: of others, only running tells whether they are 1."""
    dims, own = graph.dims_of(expand.results[0]), graph.dims_of(expand.operands[0])
    return is_part(own, dims)


def is_part(own: Shape, whole: Shape) -> bool:
    """Whether a tensor of dims `own` broadcasts to `whole` by dims of 1 alone."""
    aligned = zip(reversed(own), reversed(whole), strict=False)
    return len(own) <= len(whole) and all(dim in (1, wanted) for dim, wanted in aligned)


def expanded(value: ir.Value) -> ir.Value | None:
    """The value before an expansion of known dims, or copies of dims of 1."""
    op = defining_op(value)
    if op is None:
        return None
    if op.name == "graph.expand":
        return op.operands[0] if dims_follow(op) else None
    if op.name == "graph.tile":
        counts = zip(graph.shape_of(op.operands[0]), graph.attribute(op, "repeats"), strict=True)
        return op.operands[0] if all(dim == 1 or count == 1 for dim, count in counts) else None
    return None


def leading_ones(value: ir.Value) -> ir.Value | None:
    """The value before a view that puts dims of 1 in front."""
    op = defining_op(value)
    if op is None or op.name not in ("graph.reshape", "graph.unsqueeze"):
        return None
    shape, inner = graph.dims_of(value), graph.dims_of(op.operands[0])
    added = len(shape) - len(inner)
    return op.operands[0] if added > 0 and shape == (1,) * added + inner else None
