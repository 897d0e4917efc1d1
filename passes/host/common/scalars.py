"""Integers and booleans that a host function on buffers reads at run time."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, memref
from mlc.passes.common.constants import index_constant, integer_constant
from mlc.passes.graph.common.values import splat


def read_scalar(value: ir.Value, buffer_of: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Returns the element of a tensor of rank 0, integers or booleans: a constant, or read from its
    buffer."""
    known = splat(value)
    if known is None:
        return memref.LoadOp(buffer_of(value), []).result
    return integer_constant(value.type.element_type, int(known))


def read_index(value: ir.Value, buffer_of: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Returns the element of a tensor of rank 0, such as a trip count, as an index."""
    known = splat(value)
    if known is not None:
        return index_constant(int(known))
    return arith.IndexCastOp(ir.IndexType.get(), read_scalar(value, buffer_of)).result
