"""Properties of values that patterns on graph ops match: constants, static shapes, constant operands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.common.patterns import Pattern
from mlc.passes.common.rewriting import defining_op, erase_op, has_uses, replace_op

Scalar = int | float

# Ops that never take part in constant arithmetic worth folding end the search of `is_constant`.
_ARITHMETIC = frozenset(
    f"graph.{spec.name}"
    for spec in graph.specs().values()
    if spec.family in ("elementwise", "movement", "creation", "reduction") and spec.name != "shape_of"
)
_SEARCH_LIMIT = 64


def is_ranked(op: ir.Operation) -> bool:
    """Whether all operands and results are tensors of known ranks."""
    return all(isinstance(value.type, ir.RankedTensorType) for value in (*op.operands, *op.results))


def on_ranked(pattern: Pattern) -> Pattern:
    """The pattern, applied only to ops whose operands and results all have known ranks."""

    def guard(op: ir.Operation) -> bool:
        return is_ranked(op) and pattern(op)

    guard.__wrapped__ = pattern  # type: ignore[attr-defined]  # for the names in traces and statistics
    return guard


def is_static(value: ir.Value) -> bool:
    """Whether every dim of a ranked tensor value is known."""
    return bool(value.type.has_static_shape)


def is_float(value: ir.Value) -> bool:
    """Whether the elements are floating-point values."""
    return isinstance(graph.element_type(value), ir.FloatType)


def is_unsigned(value: ir.Value) -> bool:
    """Whether the elements are unsigned integers."""
    return dtype(value).kind == "u"


def dtype(value: ir.Value) -> np.dtype:
    """The NumPy dtype of the elements."""
    return dtype_of(str(graph.element_type(value)))


def constant_array(value: ir.Value) -> np.ndarray | None:
    """The elements of a `graph.constant`, else None."""
    op = graph.Constant.defining(value)
    return None if op is None else op.value


def splat(value: ir.Value) -> Scalar | None:
    """The value of all elements of a constant, or of a `graph.full` of static shape; else None."""
    op = defining_op(value)
    if op is None:
        return None
    if op.name == graph.Full.NAME:
        return graph.Full(op).value if is_static(value) else None
    if op.name != graph.Constant.NAME or not op.attributes["value"].is_splat:
        return None
    element = op.attributes["value"].get_splat_value()
    return element.value if isinstance(element, ir.FloatAttr | ir.IntegerAttr | ir.BoolAttr) else None


def scalar_constant(scalar: Scalar, like: ir.Value) -> ir.Value:
    """A constant of rank 0 with the elements of `like`, at the current insertion point."""
    return graph.build("constant", [], {"value": np.asarray(scalar, dtype(like))})


def fill_like(like: ir.Value, scalar: Scalar) -> ir.Value | None:
    """A tensor of the type of `like` whose elements all equal `scalar`; None where a dim is unknown."""
    dims = [] if is_static(like) else [graph.sizes_vector(graph.dims_of(like))]
    if any(dim is None for dim in dims):
        return None
    value = float(scalar) if is_float(like) else int(scalar)
    if not is_float(like) and value >= 2**63:
        # More than the attribute of `full` holds, which has a sign.
        return broadcast_like(scalar_constant(value, like), like)
    return graph.build("full", dims, {"value": value}, like.type)


def has_result_type(op: ir.Operation, operand: ir.Value) -> bool:
    """Whether an operand of an op that broadcasts certainly has the type of its result."""
    return graph.same_type(operand, op.results[0])


def as_result(op: ir.Operation, operand: ir.Value) -> ir.Value | None:
    """An operand of an op that broadcasts, in the type of its result; None where its dims are unknown."""
    if graph.element_type(operand) != op.results[0].type.element_type:
        return None
    return broadcast_like(operand, op.results[0])


def broadcast_like(value: ir.Value, like: ir.Value) -> ir.Value | None:
    """The value broadcast to the dims of `like`; None where they are unknown."""
    return graph.expand_to(value, graph.dims_of(like))


def both_orders(op: ir.Operation | None) -> list[tuple[ir.Value, ir.Value]]:
    """The operands of an op of two in both orders; nothing without an op."""
    if op is None:
        return []
    a, b = op.operands
    return [(a, b), (b, a)]


def constant_and_other(op: ir.Operation) -> tuple[ir.Value, Scalar] | None:
    """The other operand and the constant of a commutative op of which one operand is a splat constant."""
    for other, constant in both_orders(op):
        scalar = splat(constant)
        if scalar is not None:
            return other, scalar
    return None


def is_constant(value: ir.Value) -> bool:
    """Whether the value follows from weights and constants alone, by a short chain of arithmetic."""
    pending, seen = [value], {value}
    while pending:
        op = defining_op(pending.pop())
        if op is None or op.name not in _ARITHMETIC or len(seen) > _SEARCH_LIMIT:
            return False
        for operand in op.operands:
            if operand not in seen:
                seen.add(operand)
                pending.append(operand)
    return True


def _definers(op: ir.Operation) -> list[ir.Operation]:
    """The graph ops that make the operands."""
    found = [defining_op(operand) for operand in op.operands]
    return [definer for definer in found if definer is not None and definer.name.startswith("graph.")]


def erase_dead(ops: list[ir.Operation]) -> list[ir.Value]:
    """Erases those of the graph ops that have no users and no side effect, then what only they used. Returns
    the results that are gone, for comparison only: values that are made later may have their addresses, and
    equal them."""
    erased: list[ir.Value] = []
    # A handle must not be touched once its op is erased, so hashes are taken before.
    pending, gone = [(hash(op), op) for op in ops], set()
    while pending:
        key, op = pending.pop()
        if key in gone or graph.has_effect(op) or any(has_uses(result) for result in op.results):
            continue
        gone.add(key)
        pending += [(hash(definer), definer) for definer in _definers(op)]
        erased += op.results
        erase_op(op)
    return erased


def replace_if_same_type(op: ir.Operation, value: ir.Value) -> bool:
    """Replaces `op` by a value and erases what only it used. Where the types differ, erases the value, which
    is then unused, instead. Returns whether it replaced.
    """
    if op.results[0].type != value.type or (is_ranked(op) and not graph.same_shape(op.results[0], value)):
        made = defining_op(value)
        erase_dead([] if made is None else [made])
        return False
    before = _definers(op)
    replace_op(op, value)
    erase_dead(before)
    return True


Rule = Callable[[ir.Operation], ir.Value | None]


def replacing(rule: Rule) -> Pattern:
    """A pattern from a rule that gives the value to stand for the op's one result, or None.

    A value of another type leaves the op as it is. Rules that ask for dims need `on_ranked` around them.
    """

    def pattern(op: ir.Operation) -> bool:
        value = rule(op)
        return value is not None and replace_if_same_type(op, value)

    pattern.__wrapped__ = rule  # type: ignore[attr-defined]  # for the names in traces and statistics
    return pattern
