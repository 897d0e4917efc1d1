"""graph-infer-shapes: result types of graph ops from their operands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir, tensor
from mlc.dialects import graph
from mlc.passes.base import Pass, PassError
from mlc.passes.common.rewriting import collect_ops, users


def referenced_symbols(root: ir.Operation) -> set[str]:
    """The names that ops inside `root` refer to: functions that are called or launched."""
    names: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        values = (op.attributes[name] for name in op.attributes)
        names.update(value.value for value in values if isinstance(value, ir.FlatSymbolRefAttr))
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return names


def _refine(op: ir.Operation, keep_signature: bool) -> bool:
    """Refine the result types by those of the operands; other dialects' ops go on to see the old types.

    Returns whether a type changed.
    """
    try:
        types = graph.refined_types(op)
    except graph.ShapeError as error:
        raise PassError(graph.describe(op, error), op.location) from None
    changed = False
    for result, refined in zip(op.results, types or [], strict=bool(types)):
        before = result.type
        if refined != before:
            result.set_type(refined)
            _cast_back(op, result, before, keep_signature)
            changed = True
    return changed


def _cast_back(op: ir.Operation, result: ir.Value, before: ir.Type, keep_signature: bool) -> None:
    """Insert a `tensor.cast` to the type `before` for the users that rely on it."""
    follows = (func.Return.NAME,) if not keep_signature else ()
    others = [
        user for user in users(result) if not user.name.startswith("graph.") and user.name not in follows
    ]
    if not others:
        return
    with ir.InsertionPoint.after(op), op.location:
        cast = tensor.cast(before, result)
    for user in others:
        for position, operand in enumerate(user.operands):
            if operand == result:
                user.operands[position] = cast


def _refine_function(function: ir.Operation, keep_signature: bool) -> bool:
    changed = False
    for op in collect_ops(function):
        if op.name.startswith("graph."):
            changed |= _refine(op, keep_signature)
        elif func.Return.isa(op) and not keep_signature:
            changed |= _update_signature(function, op)
    return changed


def _update_signature(function: ir.Operation, terminator: ir.Operation) -> bool:
    """Sets the function's result types to those of its return op; returns whether they changed."""
    before = function.attributes["function_type"]
    inputs = ir.FunctionType(ir.TypeAttr(before).value).inputs
    results = [value.type for value in terminator.operands]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
    return bool(function.attributes["function_type"] != before)


@dataclass(frozen=True)
class InferShapes(Pass):
    """Infer the result types of graph ops, and of functions that nobody calls, from their operands.

    Unknown dims and ranks become known where operands and attributes determine them; known ones stay. Ops of
    other dialects see the old type through a `tensor.cast`. Fails where shapes contradict each other.
    """

    name: ClassVar[str] = "graph-infer-shapes"

    def run(self, op: ir.Operation) -> bool:
        changed, referenced = False, referenced_symbols(op)
        with op.context:
            for function in op.regions[0].blocks[0].operations:
                if function.operation.name == func.Func.NAME:
                    name = ir.StringAttr(function.operation.attributes["sym_name"]).value
                    changed |= _refine_function(function.operation, keep_signature=name in referenced)
        return changed
