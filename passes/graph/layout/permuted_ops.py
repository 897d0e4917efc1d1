"""Ops that are independent of the order of dims, on transposed operands.

An order `r` of a value v stands for `transpose(v, r)`: dim i of it is dim `r[i]` of v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.dim_groups import dim_groups
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.rules import rule_of

Order = tuple[int, ...]


@dataclass(frozen=True)
class Permuted:
    """An op on transposed operands. `operands` are their orders, longer than the operand's rank where dims of
    1 come before it, None for an operand that stays; `attributes` are those that differ.
    """

    operands: tuple[Order | None, ...]
    result: Order
    attributes: dict[str, Any]


def inverse(order: Sequence[int]) -> Order:
    """The order that undoes `order`."""
    return tuple(sorted(range(len(order)), key=lambda axis: order[axis]))


def compose(first: Sequence[int], then: Sequence[int]) -> Order:
    """The order of a transpose by `first` and another one of its result by `then`."""
    return tuple(first[axis] for axis in then)


def _without(order: Order, gone: Sequence[int]) -> Order:
    """The order of the dims that are left when dims are dropped."""
    left = [axis for axis in range(len(order)) if axis not in gone]
    return tuple(left.index(axis) for axis in order if axis not in gone)


def _permute_elementwise(op: ir.Operation, order: Order) -> Permuted | None:
    """Elementwise ops: the order is one of the result's dims."""
    if op.results[0].type.rank != len(order):
        return None
    return Permuted((order,) * len(op.operands), order, {})


def _one_axis(op: ir.Operation, order: Order) -> Permuted:
    """Softmax, scans, concatenations, gathers of single elements."""
    return Permuted((order,) * len(op.operands), order, {"axis": order.index(graph.attribute(op, "axis"))})


def _rotary(op: ir.Operation, order: Order) -> Permuted | None:
    """The last dim holds pairs."""
    return _permute_elementwise(op, order) if order[-1] == len(order) - 1 else None


# Sums over several axes add in another order.
@rounding
def _axes(op: ir.Operation, order: Order) -> Permuted:
    axes = sorted(order.index(axis) for axis in graph.attribute(op, "axes"))
    return Permuted((order,), order, {"axes": axes})


@rounding
def _reduction(op: ir.Operation, order: Order) -> Permuted:
    result = order if graph.attribute(op, "keepdims") else _without(order, graph.attribute(op, "axes"))
    return Permuted((order,), result, _axes(op, order).attributes)


def _arg_reduction(op: ir.Operation, order: Order) -> Permuted:
    axis = graph.attribute(op, "axis")
    result = order if graph.attribute(op, "keepdims") else _without(order, [axis])
    return Permuted((order,), result, {"axis": order.index(axis)})


def _per_dim(*names: str) -> Callable[[ir.Operation, Order], Permuted]:
    """Returns the rule of ops with attributes that have an entry per dim."""

    def permute(op: ir.Operation, order: Order) -> Permuted:
        arrays = {name: graph.attribute(op, name) for name in names}
        moved = {name: [entries[axis] for axis in order] for name, entries in arrays.items()}
        return Permuted((order,), order, moved)

    return permute


def _expand(op: ir.Operation, order: Order) -> Permuted | None:
    return _per_dim("shape")(op, order) if len(op.operands) == 1 else None


def _gather(op: ir.Operation, order: Order) -> Permuted | None:
    gather = graph.Gather(op)
    axis, rank = gather.axis, gather.indices.type.rank
    if rank > 1:
        return None
    result = order if rank else _without(order, [axis])
    return Permuted((order, None), result, {"axis": order.index(axis)})


def _permute_quantised(op: ir.Operation, order: Order) -> Permuted | None:
    if op.operands[1].type.rank > 1 or graph.attribute(op, "block_size"):
        return None
    others = (None,) * (len(op.operands) - 1)
    by_axis = op.operands[1].type.rank == 1
    axis = {"axis": order.index(graph.attribute(op, "axis"))} if by_axis else {}
    return Permuted((order, *others), order, axis)


def _reshape(op: ir.Operation, order: Order) -> Permuted | None:
    """Runs of dims that the reshape merges or splits must stay together."""
    reshape = graph.Reshape(op)
    old, new = graph.shape_of(reshape.x), graph.shape_of(reshape.result)
    if len(op.operands) != 1 or None in old or None in new or 0 in old:
        return None
    groups = dim_groups(old, new)
    result = None if groups is None else _order_of_groups(groups, order)
    if result is None:
        return None
    return Permuted((order,), result, {"shape": [new[axis] for axis in result]})


def _order_of_groups(groups: list[tuple[list[int], list[int]]], order: Order) -> Order | None:
    """The order of the second dims of groups, given that of the first ones; None if it tears one apart."""
    # Dims of 1 that belong to no other come first.
    result = [axis for olds, news in groups if not olds for axis in news]
    by_first = {olds[0]: (olds, news) for olds, news in groups if olds}
    position = 0
    while position < len(order):
        found = by_first.get(order[position])
        if found is None or list(order[position : position + len(found[0])]) != found[0]:
            return None
        result += found[1]
        position += len(found[0])
    return tuple(result)


_PLANS: dict[str, Callable[[ir.Operation, Order], Permuted | None]] = {
    **dict.fromkeys(ELEMENTWISE, _permute_elementwise),
    **dict.fromkeys(
        (graph.Softmax.NAME, graph.LogSoftmax.NAME, graph.Cumsum.NAME, graph.Cumprod.NAME), _one_axis
    ),
    **dict.fromkeys((graph.Concat.NAME, graph.GatherElements.NAME), _one_axis),
    **dict.fromkeys((graph.LayerNorm.NAME, graph.RmsNorm.NAME), _axes),
    **dict.fromkeys((graph.ArgMax.NAME, graph.ArgMin.NAME), _arg_reduction),
    **dict.fromkeys((graph.QuantizeLinear.NAME, graph.DequantizeLinear.NAME), _permute_quantised),
    graph.RotaryEmbedding.NAME: _rotary,
    graph.Slice.NAME: _per_dim("starts", "sizes", "steps"),
    graph.Pad.NAME: _per_dim("low", "high"),
    graph.Tile.NAME: _per_dim("repeats"),
    graph.Expand.NAME: _expand,
    graph.Gather.NAME: _gather,
    graph.Reshape.NAME: _reshape,
}
for _spec in graph.specs().values():
    if _spec.family == "reduction":
        _PLANS.setdefault(f"graph.{_spec.name}", _reduction)
# Those whose operands may have fewer dims than the result.
_BROADCAST = ELEMENTWISE | {graph.RotaryEmbedding.NAME}
# Those whose dims of operand and result are other ones, even where their ranks agree.
_RANKED = frozenset({graph.Reshape.NAME, graph.Gather.NAME})


def from_operand(op: ir.Operation, order: Order, exactness: str) -> Permuted | None:
    """`op` on its main operand in `order`; None if it cannot work so, or not within a class of exactness."""
    plan = rule_of(_PLANS, op, exactness)
    if plan is None:
        return None
    if op.name not in _BROADCAST and op.operands[0].type.rank != len(order):
        return None
    return plan(op, order)


def from_result(op: ir.Operation, order: Order, exactness: str) -> Permuted | None:
    """`op` with its result in `order`; None if that does not determine the order of its operands."""
    plan = None if op.name in _RANKED else from_operand(op, order, exactness)
    return plan if plan is not None and plan.result == order else None
