"""graph-narrow-values: what kernels leave to others has 16 bits where products multiply such.

Rules on conversions between f32 and what kernels store: they meet, or join the op that computes.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import (
    apply_patterns,
    attributes_of,
    collect_ops,
    defining_op,
    erase_if_unused,
    has_one_use,
    users,
)
from mlc.passes.graph.common.casts import UNROUNDED, cast_to, with_element
from mlc.passes.graph.common.op_families import ELEMENTWISE, MAPPED, REDUCTIONS, ROWS, TAKES_EPILOGUE, VIEWS
from mlc.passes.graph.common.rematerialization import REMATERIALIZE, mark
from mlc.passes.graph.common.rules import Rules, patterns
from mlc.passes.graph.common.views import view_source
from mlc.passes.graph.fusion.groups import Group, fuse
from mlc.passes.graph.prepare.split_prepare import MAIN, ConstantOps, find_function
from mlc.passes.remarks import report_applied

# These move or choose elements, whatever their type.
MOVES = (MAPPED - {graph.Pack.NAME, graph.Unpack.NAME}) | VIEWS

MOVES |= {graph.Concat.NAME, graph.Gather.NAME, graph.Identity.NAME, graph.MaxPool.NAME, graph.Pad.NAME}

# What these read needs an op of the same type: a kernel has no conversion before its windows.
COMPUTED = frozenset({graph.AveragePool.NAME})


def widened_by_readers(value: ir.Value, element: ir.Type) -> ir.Value:
    """The value with other elements, as part of the kernel that reads it."""
    return mark(cast_to(value, element))


def _is_single(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and isinstance(value.type.element_type, ir.F32Type)


def _stored_value(value: ir.Value) -> ir.Value | None:
    """Returns the value in memory, of a value that its readers widen, else None."""
    op = defining_op(value, graph.Cast.NAME)
    return graph.Cast(op).x if op is not None and REMATERIALIZE in op.attributes else None


def round_trip(op: ir.Operation) -> ir.Value | None:
    """cast(cast(x)) to f32 and back: x."""
    cast = graph.Cast(op)
    wide = graph.Cast.defining(cast.x)
    if wide is None or not _is_single(cast.x) or wide.x.type != cast.result.type:
        return None
    return wide.x


def round_before_move(op: ir.Operation) -> ir.Value | None:
    """cast(move(x)) -> move(cast(x)), where only that is read of what is moved: the cast joins the op that
    computes x."""
    cast = graph.Cast(op)
    x, element = cast.x, graph.element_type(cast.result)
    move = defining_op(x)
    if move is None or move.name not in MOVES or not is_rounding(op) or not _takes_rounding(x):
        return None
    operands = [cast_to(operand, element) if _is_single(operand) else operand for operand in move.operands]
    attributes = attributes_of(move)
    return graph.build(move.name, operands, attributes, cast.result.type)


def _takes_rounding(x: ir.Value) -> bool:
    """Whether the kernel that computes x can round it: nothing else reads x, or what it is moved from."""
    op = defining_op(x)
    if _stored_value(x) is not None:
        return True
    if op is None or not has_one_use(x):
        return False
    if op.name not in MOVES:
        return op.name in TAKES_EPILOGUE
    return _keeps_value(op) and all(
        _takes_rounding(operand) for operand in op.operands if _is_single(operand)
    )


def is_rounding(op: ir.Operation) -> bool:
    """Whether a cast makes 16 bits of f32."""
    element_types = graph.element_type(op.operands[0]), graph.element_type(op.results[0])
    return isinstance(element_types[0], ir.F32Type) and isinstance(element_types[1], ir.F16Type | ir.BF16Type)


def _keeps_value(move: ir.Operation) -> bool:
    """Whether what padding consists of is a number of each type."""
    return move.name != graph.Pad.NAME or graph.Pad(move).value in (0, inf, -inf)


def move_narrow(op: ir.Operation) -> ir.Value | None:
    """move(cast(x)) -> cast(move(x)), where readers widen x: they widen what is moved."""
    wide = [operand for operand in op.operands if _is_single(operand)]
    stored = {source: value for source in wide if (value := _stored_value(source)) is not None}
    if not wide or len(stored) < len(set(wide)) or not _keeps_value(op):
        return None
    element_types = {str(graph.element_type(value)) for value in stored.values()}
    if len(element_types) > 1:
        return None
    element = graph.element_type(next(iter(stored.values())))
    operands = [stored.get(operand, operand) for operand in op.operands]
    tensor_type = with_element(op.results[0].type, element)
    attributes = attributes_of(op)
    moved = graph.build(op.name, operands, attributes, tensor_type)
    if op.name in COMPUTED:
        # What is computed of it in its kernel sees its sums in f32.
        moved.owner.operation.attributes[UNROUNDED] = ir.UnitAttr.get()
    # Ops that others may follow in their kernel are followed by this one; there it is part of their end.
    wider = cast_to if op.name in TAKES_EPILOGUE else widened_by_readers
    return wider(moved, graph.element_type(op.results[0]))


def round_after_transpose(op: ir.Operation) -> ir.Value | None:
    """transpose(cast(x)) -> cast(transpose(x)), where x is not computed: one kernel does both."""
    transpose = graph.Transpose(op)
    inner = defining_op(transpose.x, graph.Cast.NAME)
    if inner is None or not is_rounding(inner) or not has_one_use(transpose.x):
        return None
    if defining_op(view_source(graph.Cast(inner).x)) is not None:
        return None
    moved = graph.build("transpose", [graph.Cast(inner).x], attributes_of(op))
    return cast_to(moved, graph.element_type(transpose.result))


_TABLE: Rules = {
    **dict.fromkeys(sorted(MOVES | COMPUTED), (move_narrow,)),
    graph.Cast.NAME: (round_trip, round_before_move),
    graph.Transpose.NAME: (move_narrow, round_after_transpose),
}

PATTERNS = patterns(_TABLE, "rounding")


def erase_unused_casts(function: ir.Operation) -> None:
    """Readers before what they read."""
    for op in reversed(collect_ops(function, graph.Cast.NAME)):
        erase_if_unused(op)


# Rounding makes equals of what these compare.
_COMPARED = {graph.ArgMax.NAME, graph.ArgMin.NAME}
_SUMS = REDUCTIONS - _COMPARED
# What can read 16 bits and compute in f32. Products read what is rounded for them already.
_READERS = ELEMENTWISE | ROWS | _SUMS | COMPUTED


def element_of_products(main: ir.Operation) -> ir.Type | None:
    """The type to which `graph-lower-precision` has made products narrower."""
    for op in collect_ops(main):
        if UNROUNDED in op.attributes:
            return graph.element_type(op.results[0])
    return None


def may_narrow(group: Group, constants: Container[ir.Value]) -> bool:
    """Whether a kernel's f32 result may be stored in the narrower type: no caller sees it, nothing compares
    it. Sums over rows, and operands of normalisations, which lose most, only if products read them."""
    value = group.result
    tensor_type = value.type
    if (
        len(group.ops[-1].results) > 1
        or not isinstance(tensor_type, ir.RankedTensorType)
        or value in constants
    ):
        return False
    if not tensor_type.has_static_shape or not isinstance(tensor_type.element_type, ir.F32Type):
        return False
    readers = list(_readers(value, constants))
    multiplied = any(reader.name == graph.Cast.NAME and is_rounding(reader) for reader in readers)
    exact = group.anchor in _SUMS or any(reader.name in ROWS for reader in readers)
    if exact and not multiplied:
        return False
    return bool(readers) and all(reader.name in _READERS for reader in readers)


def _readers(value: ir.Value, constants: Container[ir.Value]) -> Iterator[ir.Operation]:
    """The ops that compute with a value, or with its moved elements. Values joined with it must be rounded,
    too: arguments and constants are not."""
    for reader in users(value):
        given = [
            operand for operand in reader.operands if operand in constants or defining_op(operand) is None
        ]
        if reader.name not in MOVES or (reader.name == graph.Concat.NAME and given):
            yield reader
        else:
            yield from _readers(reader.results[0], constants)


def narrow(value: ir.Value, element: ir.Type) -> None:
    """Rounds a value once, after the op that computes it; its readers widen it."""
    op = value.owner.operation
    with ir.InsertionPoint.after(op), op.location:
        stored = cast_to(value, element)
        wide = widened_by_readers(stored, graph.element_type(value))
    value.replace_all_uses_except(wide, [stored.owner.operation])
    report_applied(op, NarrowValues.name, f"its result is stored as {element}")


@dataclass(frozen=True)
class NarrowValues(Pass):
    """Store the values that kernels leave to others in the type of the products that `graph-lower-precision`
    made narrower. A kernel rounds its result once, when all is computed; kernels that read it widen what they
    read, and compute in f32. Both are part of these kernels: no kernel only converts.

    f32 stay what `@main` returns, weights and constants, sums over rows and what normalisations and softmax
    read, unless products read them, too, and what `arg_max` compares. Ops that move elements, and pools, move
    narrow ones.

    Which values those are is what `graph-form-kernels` would fuse; conversions that belong to the kernels of
    their readers have the attribute `graph.rematerialize`, by which it fuses them so.
    """

    name: ClassVar[str] = "graph-narrow-values"
    exactness: ClassVar[str] = "approximate"

    def run(self, op: ir.Operation) -> bool:
        main = find_function(op, MAIN)
        element = None if main is None or main.is_external else element_of_products(main.operation)
        if main is None or element is None:
            return False
        constants = ConstantOps.of(main.entry_block)
        known = constants.bare.keys() | constants.computed.keys()
        results = [group.result for group in fuse(main.regions[0].blocks[0]) if may_narrow(group, known)]
        for value in results:
            narrow(value, element)
        apply_patterns(main.operation, PATTERNS)
        erase_unused_casts(main.operation)
        return bool(results)
