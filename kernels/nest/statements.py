"""The statements of loop nests: from syntax to IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mlc.bindings import ir
from mlc.kernels.loop_markers import block
from mlc.kernels.nest.branches import branch
from mlc.kernels.nest.loops import build_loop, loop_bounds
from mlc.kernels.nest.name_lookup import element
from mlc.kernels.nest.nest_expressions import as_scalar, evaluate, scalar
from mlc.kernels.nest.nest_state import Array, NestBuilder
from mlc.kernels.nest.operators import binary, operator_name


def run_all(body: Sequence[ast.stmt], nest: NestBuilder) -> None:
    """Builds the statements in order."""
    for statement in body:
        rule = _RULES.get(type(statement))
        if rule is None:
            nest.fail(f"kernels have no {type(statement).__name__.lower()} statement", statement)
        with nest.at(statement):
            rule(statement, nest)


def _expression(node: ast.Expr, nest: NestBuilder) -> None:
    if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
        nest.fail("this computes nothing; a kernel writes into its outputs: out[i] = ...", node)


def _assign(node: ast.Assign, nest: NestBuilder) -> None:
    if len(node.targets) != 1:
        nest.fail("one target for each assignment", node)
    _assign_to(node.targets[0], evaluate(node.value, nest), node, nest)


def _assign_to(target: ast.expr, value: Any, node: ast.AST, nest: NestBuilder) -> None:
    if isinstance(target, ast.Subscript):
        found = element(target, nest)
        _require_writable(found.array, target, nest)
        found.store(as_scalar(value, node, nest), nest)
    elif isinstance(target, ast.Name):
        _bind(target, value, nest)
    elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(value) == len(target.elts):
        for part, part_value in zip(target.elts, value, strict=True):
            _assign_to(part, part_value, node, nest)
    else:
        nest.fail(f"cannot assign to {ast.unparse(target)}", node)


def _bind(target: ast.Name, value: Any, nest: NestBuilder) -> None:
    if isinstance(nest.scope.get(target.id), Array) and not isinstance(value, Array):
        nest.fail(f"{target.id} is a tensor; assign to an element of it: {target.id}[i] = ...", target)
    nest.scope[target.id] = replace(value, name=target.id) if isinstance(value, Array) else value


def _require_writable(array: Array, node: ast.AST, nest: NestBuilder) -> None:
    if not array.writable:
        nest.fail(f"{array.name} is an input; a kernel writes to parameters annotated Output[...]", node)


def _update(node: ast.AugAssign, nest: NestBuilder) -> None:
    name = operator_name(node.op, node, nest)
    if isinstance(node.target, ast.Subscript):
        found = element(node.target, nest)
        _require_writable(found.array, node.target, nest)
        value = evaluate(node.value, nest)
        found.store(binary(name, found.load(nest), value, node, nest), nest)
        return
    if not isinstance(node.target, ast.Name):
        nest.fail(f"cannot assign to {ast.unparse(node.target)}", node)
    old = evaluate(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), nest)
    _bind(node.target, binary(name, old, evaluate(node.value, nest), node, nest), nest)


def _for(node: ast.For, nest: NestBuilder) -> None:
    if not isinstance(node.target, ast.Name):
        nest.fail("a loop has one variable: for i in range(n)", node.target)
    if node.orelse:
        nest.fail("loops of kernels have no else", node)
    bounds = loop_bounds(node.iter, nest)
    build_loop(node, bounds, _carried_names(node.body, nest), lambda: run_all(node.body, nest), nest)


def _carried_names(body: Sequence[ast.stmt], nest: NestBuilder) -> list[str]:
    """Returns the names of scalars defined before `body` that it assigns."""
    targets = [
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    known = nest.scope
    return [
        name for name in dict.fromkeys(targets) if isinstance(known.get(name), bool | int | float | ir.Value)
    ]


def _if(node: ast.If, nest: NestBuilder) -> None:
    condition = scalar(node.test, nest)
    if not isinstance(condition, ir.Value):
        run_all(node.body if condition else node.orelse, nest)
        return
    names = _carried_names([*node.body, *node.orelse], nest)

    def build(body: Sequence[ast.stmt]) -> list[Any]:
        run_all(body, nest)
        return [as_scalar(nest.scope[name], node, nest) for name in names]

    results = branch(condition, partial(build, node.body), partial(build, node.orelse), nest)
    nest.scope.update(zip(names, results, strict=True))


def _with(node: ast.With, nest: NestBuilder) -> None:
    """Names the computations inside `with block("name"):`."""
    call = node.items[0].context_expr
    named = isinstance(call, ast.Call) and evaluate(call.func, nest) is block and len(node.items) == 1
    if not (named and isinstance(call, ast.Call) and len(call.args) == 1 and _text(call.args[0])):
        nest.fail('kernels have only one with statement: with block("name"):', node)
    if nest.block is not None:
        nest.fail(f"blocks do not nest, and this one is inside '{nest.block}'", node)
    nest.block = ast.literal_eval(call.args[0])
    run_all(node.body, nest)
    nest.block = None


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _return(node: ast.Return, nest: NestBuilder) -> None:
    nest.fail("a kernel returns nothing; its outputs are parameters annotated Output[...]", node)


def _pass(_node: ast.Pass, _nest: NestBuilder) -> None:
    """Builds nothing."""


_RULES: dict[type[ast.stmt], Callable[[Any, NestBuilder], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _update,
    ast.For: _for,
    ast.If: _if,
    ast.With: _with,
    ast.Return: _return,
    ast.Pass: _pass,
}
