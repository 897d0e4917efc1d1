"""Calls in loop nests: of functions of mlc.kernels, of element types, of `buffer`."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from mlc.bindings import ir, memref
from mlc.kernels import builtin_functions
from mlc.kernels.elements import ElementType
from mlc.kernels.loop_markers import buffer
from mlc.kernels.nest.nest_expressions import evaluate, expression, scalar
from mlc.kernels.nest.nest_state import Array, NestBuilder
from mlc.kernels.scalars import apply, convert, select


@expression(ast.Call)
def _call(node: ast.Call, nest: NestBuilder) -> Any:
    function = evaluate(node.func, nest)
    if node.keywords:
        nest.fail(f"{ast.unparse(node.func)} takes no keywords here", node)
    if function is builtin_functions.where:
        return select(*(scalar(argument, nest) for argument in _arguments(node, 3, nest)))
    if isinstance(function, ElementType):
        [operand] = _arguments(node, 1, nest)
        return convert(scalar(operand, nest), function)
    if function is buffer:
        return _buffer(node, nest)
    name, arity = _function(function, node, nest)
    return apply(name, [scalar(argument, nest) for argument in _arguments(node, arity, nest)])


def _buffer(node: ast.Call, nest: NestBuilder) -> Array:
    """Allocates memory private to the kernel; later passes choose its memory space."""
    element, *sizes = [evaluate(arg, nest) for arg in node.args] or [None]
    if not isinstance(element, ElementType) or not all(isinstance(size, int) and size > 0 for size in sizes):
        nest.fail("a buffer has an element type and positive sizes: buffer(f32, 16, 16)", node)
    memory = memref.AllocOp(ir.MemRefType.get(sizes, ir.Type.parse(element.name)), [], []).result
    return Array("the buffer", memory, element, tuple(sizes), True)


def _function(function: Any, node: ast.Call, nest: NestBuilder) -> tuple[str, int]:
    """Returns the operation that a function stands for, and the number of its operands."""
    with suppress(TypeError):  # unhashable objects are no functions of mlc.kernels
        function = builtin_functions.SYNONYMS.get(function, function)
    if not isinstance(function, builtin_functions.BuiltinFunction):
        nest.fail(
            f"kernels cannot call {ast.unparse(node.func)}; they can call functions of mlc.kernels", node
        )
    return function.name, function.arity


def _arguments(node: ast.Call, count: int, nest: NestBuilder) -> list[ast.expr]:
    if len(node.args) != count:
        nest.fail(f"{ast.unparse(node.func)} takes {count} operands, not {len(node.args)}", node)
    return node.args
