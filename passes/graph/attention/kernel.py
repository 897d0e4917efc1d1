"""Conditions for attention that one kernel computes as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.values import is_static

# Queries whose scores a kernel holds at a time: two vectors of 16 elements.
QUERIES = 32
# What a head needs fits the stack, and half of an L2 cache of 1 MiB, together with keys and values.
SCRATCH_BYTES = 512 << 10
TOO_FEW_QUERIES = "it has too few queries to fill vectors"
TOO_MANY_KEYS = f"the scores of {QUERIES} queries would not stay in the L2 cache"
# Whose products GPUs sum in f32, and how many of them a query, a key or a value has at most: a thread block
# holds tiles of many.
BLOCK_ELEMENTS, BLOCK_WIDTH = ("bf16", "f16", "f32"), 256


def obstacle(op: ir.Operation) -> str | None:
    """Returns the reason why `graph.attention` is decomposed into several kernels; None if one computes all
    of it."""
    q, k, v = list(op.operands)[:3]
    if str(graph.element_type(q)) != "f32":
        return "its elements must be f32"
    if None in (graph.shape_of(q)[-1], graph.shape_of(v)[-1]):
        return "the elements of a query and of a value must be known"
    if not all(map(is_static, op.operands)):
        return _open_obstacle(op)
    if not all(_is_shared(graph.shape_of(q)[:-3], graph.shape_of(operand)[:-3]) for operand in (k, v)):
        return "keys and values have more batches than queries"
    if any(str(graph.element_type(mask)) == "i1" for mask in list(op.operands)[3:]):
        return "its mask is boolean, stored in bytes and not in vectors"
    queries, width = graph.shape_of(q)[-2:]
    keys = graph.shape_of(k)[-2]
    reason = block_obstacle(queries, width, keys)
    # More keys are taken block by block.
    return reason if reason != TOO_MANY_KEYS or _open_obstacle(op) else None


def block_obstacle(queries: int, width: int, keys: int) -> str | None:
    """Returns the reason why a kernel cannot hold the scores of a block of queries and all keys, of `width`
    elements each; None if it can."""
    if keys == 0:
        return "it has no keys"
    if queries < QUERIES // 2:
        return TOO_FEW_QUERIES
    if scratch_bytes(min(queries, QUERIES), width, keys) > SCRATCH_BYTES:
        return TOO_MANY_KEYS
    return None


def _open_obstacle(op: ir.Operation) -> str | None:
    """The same for attention with dynamic dims: blocks of queries are filled up, and keys are
    taken block by block."""
    q, k, v, *masks = list(op.operands)
    # The arguments of a kernel have no names; what formed it has compared them.
    dims = graph.shape_of if is_kernel(op.parent.operation) else graph.dims_of
    if any(list(dims(q))[:-3] != list(dims(operand))[:-3] for operand in (k, v)):
        return "keys and values must have the batches of the queries"
    if any(str(graph.element_type(mask)) == "i1" for mask in masks):
        return "its mask is boolean, stored in bytes and not in vectors"
    queries = graph.shape_of(q)[-2]
    return TOO_FEW_QUERIES if queries is not None and queries < QUERIES // 2 else None


def thread_block_obstacle(op: ir.Operation) -> str | None:
    """Returns the reason why `graph.attention` is decomposed for a GPU; None if thread blocks of one kernel
    compute it."""
    q, k, v, *masks = list(op.operands)
    if not all(map(is_static, op.operands)):
        return "its dims must be known"
    if str(graph.element_type(q)) not in BLOCK_ELEMENTS:
        return f"its elements must be of {', '.join(BLOCK_ELEMENTS)}"
    if graph.shape_of(k)[-2] == 0:
        return "it has no keys"
    if max(graph.shape_of(q)[-1], graph.shape_of(v)[-1]) > BLOCK_WIDTH:
        return f"its heads have more than {BLOCK_WIDTH} elements"
    if any(defining_op(mask, graph.Constant.NAME) is not None for mask in masks):
        return "its mask is a small constant, which has no buffer"
    return None


def _is_shared(batch: Sequence[int | None], read: Sequence[int | None]) -> bool:
    """Whether each of the queries' batches reads one batch, be it the only one."""
    return all(dim in (1, whole) for whole, dim in zip(batch, read, strict=True))


def scratch_bytes(queries: int, width: int, keys: int) -> int:
    """Bytes of a block's scores, which become its weights, and of its transposed queries."""
    return 4 * queries * (keys + width)
