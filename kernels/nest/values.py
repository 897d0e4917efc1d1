"""The expressions of loop nests: from syntax to IR."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mlc.bindings import ir, memref
from mlc.kernels import functions
from mlc.kernels.elements import Element as ElementType
from mlc.kernels.markers import buffer
from mlc.kernels.nest.accesses import Element, check_subscripts
from mlc.kernels.nest.branches import conditional
from mlc.kernels.nest.indices import combine, materialize
from mlc.kernels.nest.state import Array, Index, Nest
from mlc.kernels.scalars import Scalar, apply, convert, select
from mlc.kernels.sizes import plain

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_UNARY = {ast.USub: "negate", ast.Invert: "invert", ast.Not: "not"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def evaluate(node: ast.expr, nest: Nest) -> Any:
    """What `node` stands for: a number, an `Index`, a scalar, an `Array`, or an object of Python's."""
    rule = _RULES.get(type(node))
    if rule is None:
        nest.fail(f"kernels have no {_kind(node)}", node)
    with nest.at(node):
        return rule(node, nest)


def scalar(node: ast.expr, nest: Nest) -> Scalar:
    """`node` as a number or a value."""
    return as_scalar(evaluate(node, nest), node, nest)


def as_scalar(value: Any, node: ast.AST, nest: Nest) -> Scalar:
    """A number or a value, if that is what it is."""
    if isinstance(value, Index):
        return materialize(value, nest)
    if isinstance(value, Array):
        nest.fail(
            f"{value.name} is a whole tensor; a kernel computes with elements, as in {value.name}[i]", node
        )
    if not isinstance(value, bool | int | float | ir.Value):
        nest.fail(f"{ast.unparse(node)} is {value!r}, which is no number", node)
    return value


def _kind(node: ast.AST) -> str:
    return f"{type(node).__name__}: {ast.unparse(node).splitlines()[0]}"


def _constant(node: ast.Constant, nest: Nest) -> Any:
    if not isinstance(node.value, bool | int | float):
        nest.fail(f"kernels compute with numbers, not with {node.value!r}", node)
    return node.value


def _name(node: ast.Name, nest: Nest) -> Any:
    if node.id in nest.scope:
        return nest.scope[node.id]
    if node.id in nest.names:
        return _plain(nest.names[node.id])
    if hasattr(builtins, node.id):
        return getattr(builtins, node.id)
    nest.fail(f"'{node.id}' is not defined here", node)


def _plain(value: Any) -> Any:
    """Sizes and NumPy's numbers as Python's."""
    value = plain(value)
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def _attribute(node: ast.Attribute, nest: Nest) -> Any:
    value = evaluate(node.value, nest)
    if isinstance(value, Array):
        if node.attr == "shape":
            return value.shape
        nest.fail(f"{value.name} has only the attribute 'shape'", node)
    if isinstance(value, ir.Value | Index | int | float) or not hasattr(value, node.attr):
        nest.fail(f"{ast.unparse(node.value)} has no attribute '{node.attr}'", node)
    return _plain(getattr(value, node.attr))


def element(node: ast.Subscript, nest: Nest) -> Element:
    """The element that a subscript names."""
    array = evaluate(node.value, nest)
    if not isinstance(array, Array):
        nest.fail(f"{ast.unparse(node.value)} is no tensor", node)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = Element(array, [_subscript(part, nest) for part in parts])
    check_subscripts(node, [ast.unparse(part) for part in parts], found, nest)
    return found


def _subscript(node: ast.expr, nest: Nest) -> Any:
    if isinstance(node, ast.Slice):
        nest.fail("kernels have no slices; write a loop", node)
    value = evaluate(node, nest)
    if isinstance(value, bool | float) or not isinstance(value, Index | int | ir.Value):
        nest.fail(f"{ast.unparse(node)} is no index", node)
    if isinstance(value, ir.Value) and not isinstance(value.type, ir.IndexType | ir.IntegerType):
        nest.fail(f"{ast.unparse(node)} is a {value.type}; subscripts are integers", node)
    return value


def _load(node: ast.Subscript, nest: Nest) -> Any:
    base = evaluate(node.value, nest)
    if isinstance(base, tuple | list):
        position = evaluate(node.slice, nest)
        if not isinstance(position, int) or not -len(base) <= position < len(base):
            nest.fail(f"{ast.unparse(node.slice)} is no index of {ast.unparse(node.value)}", node)
        return _plain(base[position])
    return element(node, nest).load(nest)


def binary(name: str, a: Any, b: Any, node: ast.AST, nest: Nest) -> Any:
    """`a name b`, affine where it can be."""
    index = combine(name, a, b)
    if index is not None:
        return index
    return apply(name, [as_scalar(a, node, nest), as_scalar(b, node, nest)])


def operator_name(operator: ast.operator, node: ast.AST, nest: Nest) -> str:
    """Our name of a binary operator."""
    if type(operator) not in _BINARY:
        nest.fail(f"kernels have no operator {type(operator).__name__}", node)
    return _BINARY[type(operator)]


def _binary(node: ast.BinOp, nest: Nest) -> Any:
    left, right = evaluate(node.left, nest), evaluate(node.right, nest)
    return binary(operator_name(node.op, node, nest), left, right, node, nest)


def _unary(node: ast.UnaryOp, nest: Nest) -> Any:
    value = evaluate(node.operand, nest)
    if isinstance(node.op, ast.UAdd):
        return value
    if isinstance(value, Index) and isinstance(node.op, ast.USub):
        return combine("*", value, -1)
    return apply(_UNARY[type(node.op)], [as_scalar(value, node, nest)])


def _compare(node: ast.Compare, nest: Nest) -> Any:
    values = [scalar(each, nest) for each in (node.left, *node.comparators)]
    result: Any = True
    for operator, left, right in zip(node.ops, values, values[1:], strict=False):
        if type(operator) not in _COMPARE:
            nest.fail(f"kernels have no operator {type(operator).__name__}", node)
        holds = apply(_COMPARE[type(operator)], [left, right])
        result = holds if result is True else apply("&", [result, holds])
    return result


def _both(node: ast.BoolOp, nest: Nest) -> Any:
    """`and` and `or`: what stands right is computed only where it decides."""
    first, *rest = node.values
    later = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
    conjunction = isinstance(node.op, ast.And)
    return conditional(
        scalar(first, nest),
        (lambda: scalar(later, nest)) if conjunction else (lambda: True),
        (lambda: False) if conjunction else (lambda: scalar(later, nest)),
        nest,
    )


def _choice(node: ast.IfExp, nest: Nest) -> Any:
    condition = scalar(node.test, nest)
    return conditional(condition, lambda: scalar(node.body, nest), lambda: scalar(node.orelse, nest), nest)


def _call(node: ast.Call, nest: Nest) -> Any:
    function = evaluate(node.func, nest)
    if node.keywords:
        nest.fail(f"{ast.unparse(node.func)} takes no keywords here", node)
    if function is functions.where:
        return select(*(scalar(each, nest) for each in _arguments(node, 3, nest)))
    if isinstance(function, ElementType):
        [operand] = _arguments(node, 1, nest)
        return convert(scalar(operand, nest), function)
    if function is buffer:
        return _buffer(node, nest)
    name, arity = _function(function, node, nest)
    return apply(name, [scalar(each, nest) for each in _arguments(node, arity, nest)])


def _buffer(node: ast.Call, nest: Nest) -> Array:
    """Memory of the kernel's own; where it lies is up to later passes."""
    kind, *sizes = [evaluate(each, nest) for each in node.args] or [None]
    if not isinstance(kind, ElementType) or not all(isinstance(each, int) and each > 0 for each in sizes):
        nest.fail("a buffer has an element type and positive sizes: buffer(f32, 16, 16)", node)
    memory = memref.AllocOp(ir.MemRefType.get(sizes, ir.Type.parse(kind.name)), [], []).result
    return Array("the buffer", memory, kind, tuple(sizes), True)


def _function(function: Any, node: ast.Call, nest: Nest) -> tuple[str, int]:
    """The operation that a function stands for, and the number of its operands."""
    with suppress(TypeError):  # what is not hashable is none of ours
        function = functions.SYNONYMS.get(function, function)
    if not isinstance(function, functions.Function):
        nest.fail(
            f"kernels cannot call {ast.unparse(node.func)}; they can call functions of mlc.kernels", node
        )
    return function.name, function.arity


def _arguments(node: ast.Call, count: int, nest: Nest) -> list[ast.expr]:
    if len(node.args) != count:
        nest.fail(f"{ast.unparse(node.func)} takes {count} operands, not {len(node.args)}", node)
    return node.args


_RULES: dict[type[ast.expr], Callable[[Any, Nest], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _load,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _both,
    ast.IfExp: _choice,
    ast.Call: _call,
}
