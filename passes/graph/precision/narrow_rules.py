"""Rules on conversions between f32 and what kernels store: they meet, or join the op that computes."""

from __future__ import annotations

from math import inf

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import attributes_of, collect_ops, defining_op, erase_if_unused, has_one_use
from mlc.passes.graph.common.casts import UNROUNDED, converted, with_element
from mlc.passes.graph.common.kernel_categories import MAPPED, TAKES_EPILOGUE
from mlc.passes.graph.common.op_families import VIEWS
from mlc.passes.graph.common.rematerialization import ON_READ, mark
from mlc.passes.graph.common.rules import Rules, patterns
from mlc.passes.graph.common.views import view_source

# These move or choose elements, whatever their type.
MOVES = (MAPPED - {"graph.pack", "graph.unpack"}) | VIEWS
MOVES |= {"graph.concat", "graph.gather", "graph.identity", "graph.max_pool", "graph.pad"}
# What these read needs an op of its own type: a kernel has no conversion in front of its windows.
COMPUTED = frozenset({"graph.average_pool"})


def widened_by_readers(value: ir.Value, element: ir.Type) -> ir.Value:
    """The value with other elements, as part of the kernel that reads it."""
    return mark(converted(value, element))


def _is_single(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and isinstance(value.type.element_type, ir.F32Type)


def _stored(value: ir.Value) -> ir.Value | None:
    """What lies in memory, of a value that its readers widen."""
    op = defining_op(value, "graph.cast")
    return op.operands[0] if op is not None and ON_READ in op.attributes else None


def round_trip(op: ir.Operation) -> ir.Value | None:
    """cast(cast(x)) to f32 and back: x."""
    wide = defining_op(op.operands[0], "graph.cast")
    if wide is None or not _is_single(op.operands[0]) or wide.operands[0].type != op.results[0].type:
        return None
    return wide.operands[0]


def round_before_move(op: ir.Operation) -> ir.Value | None:
    """cast(move(x)) -> move(cast(x)), where only that is read of what is moved: the cast joins the op that
    computes x."""
    x, element = op.operands[0], graph.element_type(op.results[0])
    move = defining_op(x)
    if move is None or move.name not in MOVES or not is_rounding(op) or not _takes_rounding(x):
        return None
    operands = [converted(each, element) if _is_single(each) else each for each in move.operands]
    attributes = attributes_of(move)
    return graph.build(move.name, operands, attributes, op.results[0].type)


def _takes_rounding(x: ir.Value) -> bool:
    """Whether the kernel that computes x can round it: nothing else reads x, or what it is moved from."""
    op = defining_op(x)
    if _stored(x) is not None:
        return True
    if op is None or not has_one_use(x):
        return False
    if op.name not in MOVES:
        return op.name in TAKES_EPILOGUE
    return _keeps_value(op) and all(_takes_rounding(each) for each in op.operands if _is_single(each))


def is_rounding(op: ir.Operation) -> bool:
    """Whether a cast makes 16 bits of f32."""
    kinds = graph.element_type(op.operands[0]), graph.element_type(op.results[0])
    return isinstance(kinds[0], ir.F32Type) and isinstance(kinds[1], ir.F16Type | ir.BF16Type)


def _keeps_value(move: ir.Operation) -> bool:
    """Whether what padding consists of is a number of each type."""
    return move.name != "graph.pad" or graph.attribute(move, "value") in (0, inf, -inf)


def move_narrow(op: ir.Operation) -> ir.Value | None:
    """move(cast(x)) -> cast(move(x)), where readers widen x: they widen what is moved."""
    wide = [each for each in op.operands if _is_single(each)]
    stored = {each: value for each in wide if (value := _stored(each)) is not None}
    if not wide or len(stored) < len(set(wide)) or not _keeps_value(op):
        return None
    kinds = {str(graph.element_type(each)) for each in stored.values()}
    if len(kinds) > 1:
        return None
    element = graph.element_type(next(iter(stored.values())))
    operands = [stored.get(each, each) for each in op.operands]
    kind = with_element(op.results[0].type, element)
    attributes = attributes_of(op)
    moved = graph.build(op.name, operands, attributes, kind)
    if op.name in COMPUTED:
        # What is computed of it in its kernel sees its sums in f32.
        moved.owner.operation.attributes[UNROUNDED] = ir.UnitAttr.get()
    # Ops that others may follow in their kernel are followed by this one; there it is part of their end.
    wider = converted if op.name in TAKES_EPILOGUE else widened_by_readers
    return wider(moved, graph.element_type(op.results[0]))


def round_behind_transpose(op: ir.Operation) -> ir.Value | None:
    """transpose(cast(x)) -> cast(transpose(x)), where x is not computed: one kernel does both."""
    inner = defining_op(op.operands[0], "graph.cast")
    if inner is None or not is_rounding(inner) or not has_one_use(op.operands[0]):
        return None
    if defining_op(view_source(inner.operands[0])) is not None:
        return None
    moved = graph.build("transpose", [inner.operands[0]], attributes_of(op))
    return converted(moved, graph.element_type(op.results[0]))


_TABLE: Rules = {
    **dict.fromkeys(sorted(MOVES | COMPUTED), (move_narrow,)),
    "graph.cast": (round_trip, round_before_move),
    "graph.transpose": (move_narrow, round_behind_transpose),
}
PATTERNS = patterns(_TABLE, "rounding")


def erase_unused_casts(function: ir.Operation) -> None:
    """Readers before what they read."""
    for op in reversed(collect_ops(function, "graph.cast")):
        erase_if_unused(op)
