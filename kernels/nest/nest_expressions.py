"""The expressions of loop nests: from syntax to IR, by a rule for each class of `ast.expr`."""

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


def expression(node_type: type[ast.expr]) -> Callable[[Rule], Rule]:
    """Registers the decorated function for a class of expressions."""

    def register_rule(rule: Rule) -> Rule:
        _RULES[node_type] = rule
        return rule

    return register_rule


def evaluate(node: ast.expr, nest: NestBuilder) -> Any:
    """Evaluates `node` to a Python scalar, an `AffineIndex`, a value, an `Array`, or another Python
    object."""
    rule = _RULES.get(type(node))
    if rule is None:
        nest.fail(f"kernels have no {_describe(node)}", node)
    with nest.at(node):
        return rule(node, nest)


def scalar(node: ast.expr, nest: NestBuilder) -> Scalar:
    """Evaluates `node` to a Python scalar or a value."""
    return as_scalar(evaluate(node, nest), node, nest)


def as_scalar(value: Any, node: ast.AST, nest: NestBuilder) -> Scalar:
    """Returns an evaluated `node` as a Python scalar or a value. Raises KernelError."""
    if isinstance(value, AffineIndex):
        return materialize(value, nest)
    if isinstance(value, Array):
        nest.fail(
            f"{value.name} is a whole tensor; a kernel computes with elements, as in {value.name}[i]", node
        )
    if not isinstance(value, bool | int | float | ir.Value):
        nest.fail(f"{ast.unparse(node)} is {value!r}, which is no scalar", node)
    return value


def _describe(node: ast.AST) -> str:
    return f"{type(node).__name__}: {ast.unparse(node).splitlines()[0]}"
