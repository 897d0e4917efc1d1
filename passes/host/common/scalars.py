"""Numbers and truth values that a host function on buffers needs as it runs."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, memref
from mlc.passes.common.constants import index_constant, integer_constant
from mlc.passes.graph.common.values import splat


def scalar_held(value: ir.Value, buffer_of: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """The truth value or number that a tensor of rank 0 holds: a constant, or read from its buffer."""
    known = splat(value)
    if known is None:
        return memref.LoadOp(buffer_of(value), []).result
    kind = value.type.element_type
    return integer_constant(kind, int(known))


def index_held(value: ir.Value, buffer_of: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """What a tensor of rank 0 holds, such as a number of runs, as an index."""
    known = splat(value)
    if known is not None:
        return index_constant(int(known))
    return arith.IndexCastOp(ir.IndexType.get(), scalar_held(value, buffer_of)).result
