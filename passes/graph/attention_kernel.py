"""Which attention one kernel computes whole."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.values import is_static

# Queries whose scores a kernel holds at a time: two vectors of 16 numbers.
QUERIES = 32
# What a head needs stays in the second cache, beside keys and values, and fits the stack.
SCRATCH_BYTES = 512 << 10


def obstacle(op: ir.Operation) -> str | None:
    """Why `graph.attention` is taken apart into several kernels; None if one computes all of it."""
    q, k, v = list(op.operands)[:3]
    if not all(map(is_static, op.operands)) or str(graph.element_type(q)) != "f32":
        return "its dims must be known, and its elements f32"
    if not graph.shape_of(q)[:-2] == graph.shape_of(k)[:-2] == graph.shape_of(v)[:-2]:
        return "queries, keys and values must have the same batch and heads"
    if graph.attribute(op, "safe"):
        return "queries without any key must count as 0"
    if graph.shape_of(q)[-2] < QUERIES // 2:
        return "it has too few queries to fill vectors"
    if any(str(graph.element_type(mask)) == "i1" for mask in list(op.operands)[3:]):
        return "its mask is of truth values, which lie in bytes and not in vectors"
    queries, width = graph.shape_of(q)[-2:]
    if scratch_bytes(min(queries, QUERIES), width, graph.shape_of(k)[-2]) > SCRATCH_BYTES:
        return f"the scores of {QUERIES} queries would not stay in the second cache"
    return None


def scratch_bytes(queries: int, width: int, keys: int) -> int:
    """Bytes of a block's scores, which become its weights, and of its transposed queries."""
    return 4 * queries * (keys + width)
