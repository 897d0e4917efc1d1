"""Rules of graph-hoist-movement on two ops: look-ups, pools and casts, and what comes before them."""

from __future__ import annotations

from math import prod
from typing import TypeGuard

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import attributes_of, defining_op, has_one_use
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.kernel_categories import TAKES_EPILOGUE
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import dtype, is_constant, is_ranked
from mlc.passes.graph.windows.fold_padding import windows_hold_elements

_MOVEMENT = frozenset({"graph.transpose", "graph.expand", "graph.tile"})


def _is_only_read_here(inner: ir.Operation | None, op: ir.Operation) -> TypeGuard[ir.Operation]:
    """Whether `inner` makes the op's first operand, for nothing else, from tensors of known ranks."""
    return inner is not None and is_ranked(inner) and has_one_use(op.operands[0])


def look_up_first(op: ir.Operation) -> ir.Value | None:
    """gather(f(x)) -> f(gather(x)) for elementwise f of x and of numbers, where fewer elements are looked up
    than there are."""
    inner, axis = defining_op(op.operands[0]), graph.attribute(op, "axis")
    if not _is_only_read_here(inner, op) or inner.name not in ELEMENTWISE:
        return None
    x, *numbers = inner.operands
    count, dims = graph.shape_of(op.operands[1]), graph.shape_of(x)
    if any(number.type.rank for number in numbers) or is_constant(x) or shares_kernel(x):
        return None
    if len(dims) <= axis or None in (*count, dims[axis]) or prod(count) >= dims[axis]:
        return None
    found = graph.build("gather", [x, op.operands[1]], {"axis": axis})
    attributes = attributes_of(inner)
    return graph.build(inner.name, [found, *numbers], attributes, op.results[0].type)


@rounding
def pool_before_activation(op: ir.Operation) -> ir.Value | None:
    """max_pool(relu(x)) -> relu(max_pool(x)), and the same for clamp: fewer elements. The sign of a zero can
    change."""
    inner = defining_op(op.operands[0])
    if not _is_only_read_here(inner, op) or inner.name not in ("graph.relu", "graph.clamp"):
        return None
    if not windows_hold_elements(op, graph.attribute(op, "pads")):
        return None
    pooling = attributes_of(op)
    pooled = graph.build("max_pool", [inner.operands[0]], pooling, op.results[0].type)
    activation = attributes_of(inner)
    return graph.build(inner.name, [pooled], activation, op.results[0].type)


def _width(value: ir.Value) -> int:
    return dtype(value).itemsize


def shrink_before_movement(op: ir.Operation) -> ir.Value | None:
    """cast(transpose(x)) to fewer bytes -> transpose(cast(x)), where the cast joins what makes x."""
    inner = defining_op(op.operands[0])
    if not _is_only_read_here(inner, op) or inner.name not in _MOVEMENT:
        return None
    x = inner.operands[0]
    if _width(op.results[0]) >= _width(x) or not shares_kernel(x):
        return None
    casting = attributes_of(op)
    kind = ir.RankedTensorType.get(x.type.shape, graph.element_type(op.results[0]))
    operands = [graph.build("cast", [x], casting, kind), *list(inner.operands)[1:]]
    movement = attributes_of(inner)
    return graph.build(inner.name, operands, movement, op.results[0].type)


def grow_after_movement(op: ir.Operation) -> ir.Value | None:
    """transpose(cast(x)) to more bytes -> cast(transpose(x)): the cast joins the transpose."""
    inner = defining_op(op.operands[0], "graph.cast")
    if not _is_only_read_here(inner, op):
        return None
    x = inner.operands[0]
    if _width(op.results[0]) <= _width(x) or not shares_kernel(x):
        return None
    permutation = {"permutation": op.attributes["permutation"]}
    casting = attributes_of(inner)
    return graph.build("cast", [graph.build("transpose", [x], permutation)], casting, op.results[0].type)


def shares_kernel(x: ir.Value) -> bool:
    """Whether the kernel that makes x can take an elementwise op that reads it."""
    producer = defining_op(x)
    return producer is not None and producer.name in TAKES_EPILOGUE and has_one_use(x)


RULES: Rules = {
    "graph.cast": (shrink_before_movement,),
    "graph.gather": (look_up_first,),
    "graph.max_pool": (pool_before_activation,),
    "graph.transpose": (grow_after_movement,),
}
