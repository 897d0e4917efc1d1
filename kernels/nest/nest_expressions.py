"""The expressions of loop nests: from syntax to IR, by a rule for each kind of expression."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from mlc.bindings import ir
from mlc.kernels.nest.affine_indices import materialize
from mlc.kernels.nest.nest_state import AffineIndex, Array, NestBuilder
from mlc.kernels.scalars import Scalar

Rule = Callable[[Any, NestBuilder], Any]
_RULES: dict[type[ast.expr], Rule] = {}


def expression(kind: type[ast.expr]) -> Callable[[Rule], Rule]:
    """Registers the decorated function for a kind of expression."""

    def register(rule: Rule) -> Rule:
        _RULES[kind] = rule
        return rule

    return register


def evaluate(node: ast.expr, nest: NestBuilder) -> Any:
    """What `node` stands for: a number, an `AffineIndex`, a scalar, an `Array`, or an object of Python's."""
    rule = _RULES.get(type(node))
    if rule is None:
        nest.fail(f"kernels have no {_kind(node)}", node)
    with nest.at(node):
        return rule(node, nest)


def scalar(node: ast.expr, nest: NestBuilder) -> Scalar:
    """`node` as a number or a value."""
    return as_scalar(evaluate(node, nest), node, nest)


def as_scalar(value: Any, node: ast.AST, nest: NestBuilder) -> Scalar:
    """A number or a value, if that is what it is."""
    if isinstance(value, AffineIndex):
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
