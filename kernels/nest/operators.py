"""Evaluates operators, comparisons and conditional expressions."""

from __future__ import annotations

import ast
from typing import Any

from mlc.kernels.nest.affine_indices import combine
from mlc.kernels.nest.branches import conditional
from mlc.kernels.nest.nest_expressions import as_scalar, evaluate, expression, scalar
from mlc.kernels.nest.nest_state import AffineIndex, NestBuilder
from mlc.kernels.scalars import apply

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_UNARY = {ast.USub: "negate", ast.Invert: "invert", ast.Not: "not"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def binary(name: str, a: Any, b: Any, node: ast.AST, nest: NestBuilder) -> Any:
    """Builds `a name b`, as an affine index where possible."""
    index = combine(name, a, b)
    if index is not None:
        return index
    return apply(name, [as_scalar(a, node, nest), as_scalar(b, node, nest)])


def operator_name(operator: ast.operator, node: ast.AST, nest: NestBuilder) -> str:
    """Returns the name of a binary operator in `scalars.OPERATIONS`."""
    if type(operator) not in _BINARY:
        nest.fail(f"kernels have no operator {type(operator).__name__}", node)
    return _BINARY[type(operator)]


@expression(ast.BinOp)
def _binary(node: ast.BinOp, nest: NestBuilder) -> Any:
    left, right = evaluate(node.left, nest), evaluate(node.right, nest)
    return binary(operator_name(node.op, node, nest), left, right, node, nest)


@expression(ast.UnaryOp)
def _unary(node: ast.UnaryOp, nest: NestBuilder) -> Any:
    value = evaluate(node.operand, nest)
    if isinstance(node.op, ast.UAdd):
        return value
    if isinstance(value, AffineIndex) and isinstance(node.op, ast.USub):
        return combine("*", value, -1)
    return apply(_UNARY[type(node.op)], [as_scalar(value, node, nest)])


@expression(ast.Compare)
def _compare(node: ast.Compare, nest: NestBuilder) -> Any:
    values = [scalar(operand, nest) for operand in (node.left, *node.comparators)]
    result: Any = True
    for operator, left, right in zip(node.ops, values, values[1:], strict=False):
        if type(operator) not in _COMPARE:
            nest.fail(f"kernels have no operator {type(operator).__name__}", node)
        holds = apply(_COMPARE[type(operator)], [left, right])
        result = holds if result is True else apply("&", [result, holds])
    return result


@expression(ast.BoolOp)
def _both(node: ast.BoolOp, nest: NestBuilder) -> Any:
    """Builds `and` and `or`, whose right operand is computed only where it decides."""
    first, *rest = node.values
    later = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
    conjunction = isinstance(node.op, ast.And)
    return conditional(
        scalar(first, nest),
        (lambda: scalar(later, nest)) if conjunction else (lambda: True),
        (lambda: False) if conjunction else (lambda: scalar(later, nest)),
        nest,
    )


@expression(ast.IfExp)
def _choice(node: ast.IfExp, nest: NestBuilder) -> Any:
    condition = scalar(node.test, nest)
    return conditional(condition, lambda: scalar(node.body, nest), lambda: scalar(node.orelse, nest), nest)
