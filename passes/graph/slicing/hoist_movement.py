"""graph-hoist-movement: parts are taken before they are computed, elements shrink before they move.

Rules of graph-hoist-movement on two ops: look-ups, pools and casts, and what comes before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod
from typing import ClassVar, TypeGuard

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import (
    apply_patterns,
    attributes_of,
    collect_ops,
    defining_op,
    has_one_use,
    replace_op,
    users,
)
from mlc.passes.exactness import exactness_option, rounding
from mlc.passes.graph.common.op_families import ELEMENTWISE, TAKES_EPILOGUE, VIEWS
from mlc.passes.graph.common.rules import Rules, patterns
from mlc.passes.graph.common.values import dtype, erase_dead, is_constant, is_ranked, on_ranked
from mlc.passes.graph.simplify.slice_rules import Part, parts, slice_of
from mlc.passes.graph.slicing.slice_ops import WHOLE, Narrowed, Parts, is_cut, narrow_op
from mlc.passes.graph.windows.fold_padding import windows_hold_elements
from mlc.passes.remarks import listening, report_missed

_MOVEMENT = frozenset({graph.Transpose.NAME, graph.Expand.NAME, graph.Tile.NAME})


def _is_only_read_here(inner: ir.Operation | None, op: ir.Operation) -> TypeGuard[ir.Operation]:
    """Whether `inner` makes the op's first operand, for nothing else, from tensors of known ranks."""
    return inner is not None and is_ranked(inner) and has_one_use(op.operands[0])


def look_up_first(op: ir.Operation) -> ir.Value | None:
    """Rewrites `gather(f(x))` to `f(gather(x))` for elementwise `f` of `x` and of scalars, where fewer
    elements are looked up than there are."""
    gather = graph.Gather(op)
    inner, axis = defining_op(gather.data), gather.axis
    if not _is_only_read_here(inner, op) or inner.name not in ELEMENTWISE:
        return None
    x, *scalars = inner.operands
    count, dims = graph.shape_of(gather.indices), graph.shape_of(x)
    if any(scalar.type.rank for scalar in scalars) or is_constant(x) or shares_kernel(x):
        return None
    if len(dims) <= axis or None in (*count, dims[axis]) or prod(count) >= dims[axis]:
        return None
    found = graph.build("gather", [x, gather.indices], attributes_of(op))
    attributes = attributes_of(inner)
    return graph.build(inner.name, [found, *scalars], attributes, gather.result.type)


@rounding
def pool_before_activation(op: ir.Operation) -> ir.Value | None:
    """max_pool(relu(x)) -> relu(max_pool(x)), and the same for clamp: fewer elements. The sign of a zero can
    change."""
    max_pool = graph.MaxPool(op)
    inner = defining_op(max_pool.x)
    if not _is_only_read_here(inner, op) or inner.name not in (graph.Relu.NAME, graph.Clamp.NAME):
        return None
    if not windows_hold_elements(op, list(max_pool.pads)):
        return None
    pooling = attributes_of(op)
    pooled = graph.build("max_pool", [graph.Unary(inner).x], pooling, max_pool.result.type)
    activation = attributes_of(inner)
    return graph.build(inner.name, [pooled], activation, max_pool.result.type)


def _width(value: ir.Value) -> int:
    return dtype(value).itemsize


def shrink_before_movement(op: ir.Operation) -> ir.Value | None:
    """cast(transpose(x)) to fewer bytes -> transpose(cast(x)), where the cast joins what makes x."""
    cast = graph.Cast(op)
    inner = defining_op(cast.x)
    if not _is_only_read_here(inner, op) or inner.name not in _MOVEMENT:
        return None
    x = inner.operands[0]
    if _width(cast.result) >= _width(x) or not shares_kernel(x):
        return None
    casting = attributes_of(op)
    result_type = ir.RankedTensorType.get(x.type.shape, graph.element_type(cast.result))
    operands = [graph.build("cast", [x], casting, result_type), *list(inner.operands)[1:]]
    movement = attributes_of(inner)
    return graph.build(inner.name, operands, movement, cast.result.type)


def grow_after_movement(op: ir.Operation) -> ir.Value | None:
    """transpose(cast(x)) to more bytes -> cast(transpose(x)): the cast joins the transpose."""
    transpose = graph.Transpose(op)
    inner = defining_op(transpose.x, graph.Cast.NAME)
    if not _is_only_read_here(inner, op):
        return None
    x = graph.Cast(inner).x
    if _width(transpose.result) <= _width(x) or not shares_kernel(x):
        return None
    permutation = {"permutation": op.attributes["permutation"]}
    casting = attributes_of(inner)
    return graph.build("cast", [graph.build("transpose", [x], permutation)], casting, transpose.result.type)


def shares_kernel(x: ir.Value) -> bool:
    """Whether the kernel that makes x can take an elementwise op that reads it."""
    producer = defining_op(x)
    return producer is not None and producer.name in TAKES_EPILOGUE and has_one_use(x)


RULES: Rules = {
    graph.Cast.NAME: (shrink_before_movement,),
    graph.Gather.NAME: (look_up_first,),
    graph.MaxPool.NAME: (pool_before_activation,),
    graph.Transpose.NAME: (grow_after_movement,),
}


# Ops whose work is worth less of, whatever happens around them.
_HEAVY = frozenset(
    f"graph.{name}"
    for name in (
        *("matmul", "conv", "attention", "max_pool", "average_pool"),
        *("softmax", "log_softmax", "layer_norm", "rms_norm", "gather"),
    )
)
# How far a chain is followed to see where a part could be taken.
_DEPTH = 16


def same_parts(value: ir.Value) -> list[ir.Operation] | None:
    """The slices of the value, if nothing else reads it and all take the same."""
    readers = users(value)
    if any(reader.name != graph.Slice.NAME for reader in readers):
        return None
    first = parts(readers[0])
    return readers if all(parts(reader) == first for reader in readers[1:]) else None


def _pays(op: ir.Operation, plan: Narrowed, exactness: str, depth: int = _DEPTH) -> bool:
    """Whether `op` should compute a part: not where it shares a kernel with what makes its operand, which
    then computes all of it, in a separate kernel."""
    if op.name in _HEAVY or op.name.startswith("graph.reduce"):
        return _spares_weights(op, plan)
    for operand, taken in zip(op.operands, plan.operands, strict=True):
        producer = defining_op(operand)
        if producer is None or taken is None or not any(is_cut(taken, operand)) or is_constant(operand):
            if op.name in VIEWS:
                return False
            continue
        if op.name not in VIEWS and not shares_kernel(operand):
            continue
        further = narrow_op(producer, taken, exactness) if has_one_use(operand) and depth else None
        if further is None or not _pays(producer, further, exactness, depth - 1):
            return False
    return True


def _spares_weights(op: ir.Operation, plan: Narrowed) -> bool:
    """Whether a part of constant weights replaces them: with other users, both would be kept."""
    if op.name not in (graph.Conv.NAME, graph.Matmul.NAME):
        return True
    weights, taken = op.operands[1], plan.operands[1]
    return (
        taken is None or not any(is_cut(taken, weights)) or has_one_use(weights) or not is_constant(weights)
    )


def take_part_first(exactness: str, op: ir.Operation) -> bool:
    """slice(f(x)) -> f(slice(x)), where nothing needs the rest of f(x)."""
    producer = defining_op(op.operands[0])
    if producer is None or not any(is_cut(taken := parts(op), op.operands[0])):
        return False
    plan = narrow_op(producer, taken, exactness)
    if plan is None:
        return False
    readers = same_parts(producer.results[0])
    if readers is None or not _pays(producer, plan, exactness):
        return False
    new = _compute_part(producer, plan, op.results[0].type)
    for reader in readers:
        replace_op(reader, new)
    erase_dead([producer])
    return True


def _compute_part(op: ir.Operation, plan: Narrowed, result_type: ir.Type) -> ir.Value:
    """The part of the op's result, of type `result_type`, just before the op."""
    with ir.InsertionPoint(op), op.location:
        operands = [_part(operand, taken) for operand, taken in zip(op.operands, plan.operands, strict=True)]
        attributes = attributes_of(op) | plan.attributes
        return graph.build(op.name, operands, attributes, result_type)


def _part(value: ir.Value, taken: Parts | None) -> ir.Value:
    if taken is None or not any(is_cut(taken, value)):
        return value
    shape = graph.shape_of(value)
    sizes = [
        part if dim is None or part != WHOLE else Part(0, dim, 1)
        for part, dim in zip(taken, shape, strict=True)
    ]
    return slice_of(value, sizes)


def _why_whole(op: ir.Operation, exactness: str) -> str | None:
    """Reports why the operand of a slice is computed as a whole, where that costs much."""
    producer = defining_op(op.operands[0])
    if producer is None or producer.name not in _HEAVY:
        return None
    plan = narrow_op(producer, parts(op), exactness)
    if plan is None or not any(is_cut(parts(op), op.operands[0])):
        return None
    if any(reader.name != graph.Slice.NAME for reader in users(op.operands[0])):
        return "something else reads what it is a part of"
    # Otherwise the slices of a split: all of it is needed.
    return None if _spares_weights(producer, plan) else "other products read the same weights"


def _report(function: ir.Operation, exactness: str) -> None:
    """Remarks on the slices that are left."""
    for op in collect_ops(function, graph.Slice.NAME):
        ranked = isinstance(graph.Slice(op).x.type, ir.RankedTensorType)
        reason = _why_whole(op, exactness) if ranked else None
        if reason:
            report_missed(op, "graph.hoist_movement.take_part_first", reason)


@dataclass(frozen=True)
class HoistMovement(Pass):
    """Take parts of values before what is computed of them, so that the rest is not computed.

    A slice moves up through elementwise ops, normalisations and reductions of whole rows, products (rows
    and columns, of constant weights too), convolutions (images, output channels), transposes and reshapes,
    where nothing else reads the values and no fused kernel is torn apart. Where only one token of a
    transformer's last block is read, the block computes only that one. Max-pooling goes before relu and
    clamp; casts to smaller elements before transposes, casts to larger ones after them.
    """

    name: ClassVar[str] = "graph-hoist-movement"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        parts_first = {graph.Slice.NAME: on_ranked(partial(take_part_first, self.limit))}
        # A part moves up by one op in each sweep.
        changed = apply_patterns(op, patterns(RULES, self.limit) | parts_first, max_iterations=1024)
        if listening():
            _report(op, self.limit)
        return changed
