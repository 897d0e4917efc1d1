"""Loops of a host function on buffers, and the integers and booleans that it reads at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import arith, ir, memref, scf
from mlc.passes.common.constants import i1, index_constant, integer_constant
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


def build_while(
    trips: ir.Value, first: ir.Value, carried: Sequence[ir.Value] = ()
) -> tuple[scf.WhileOp, ir.Block]:
    """Builds an `scf.while` of at most `trips` iterations, which carries their index, whether there is
    another iteration, and `carried`; returns it and its body, which is empty."""
    types = [ir.IndexType.get(), i1(), *(value.type for value in carried)]
    made = scf.WhileOp(types, [index_constant(0), first, *carried])
    before, after = made.before.blocks.append(*types), made.after.blocks.append(*types)
    with ir.InsertionPoint(before):
        less = arith.CmpIOp(arith.CmpIPredicate.slt, before.arguments[0], trips).result
        scf.ConditionOp(arith.AndIOp(less, before.arguments[1]).result, before.arguments)
    return made, after
