"""Evaluates constants, names, attributes and subscripts."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from mlc.bindings import ir
from mlc.kernels.nest.accesses import ArrayElement, check_subscripts
from mlc.kernels.nest.nest_expressions import evaluate, expression
from mlc.kernels.nest.nest_state import AffineIndex, Array, NestBuilder
from mlc.kernels.sizes import plain


@expression(ast.Constant)
def _constant(node: ast.Constant, nest: NestBuilder) -> Any:
    if not isinstance(node.value, bool | int | float):
        nest.fail(f"kernels compute with integers and floats, not with {node.value!r}", node)
    return node.value


@expression(ast.Name)
def _name(node: ast.Name, nest: NestBuilder) -> Any:
    if node.id in nest.scope:
        return nest.scope[node.id]
    if node.id in nest.names:
        return _plain(nest.names[node.id])
    if hasattr(builtins, node.id):
        return getattr(builtins, node.id)
    nest.fail(f"'{node.id}' is not defined here", node)


def _plain(value: Any) -> Any:
    """Returns sizes and NumPy's scalars as Python's."""
    value = plain(value)
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


@expression(ast.Attribute)
def _attribute(node: ast.Attribute, nest: NestBuilder) -> Any:
    value = evaluate(node.value, nest)
    if isinstance(value, Array):
        if node.attr == "shape":
            return value.shape
        nest.fail(f"{value.name} has only the attribute 'shape'", node)
    if isinstance(value, ir.Value | AffineIndex | int | float) or not hasattr(value, node.attr):
        nest.fail(f"{ast.unparse(node.value)} has no attribute '{node.attr}'", node)
    return _plain(getattr(value, node.attr))


def element(node: ast.Subscript, nest: NestBuilder) -> ArrayElement:
    """Returns the element that a subscript names."""
    array = evaluate(node.value, nest)
    if not isinstance(array, Array):
        nest.fail(f"{ast.unparse(node.value)} is no tensor", node)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = ArrayElement(array, [_subscript(part, nest) for part in parts])
    check_subscripts(node, [ast.unparse(part) for part in parts], found, nest)
    return found


def _subscript(node: ast.expr, nest: NestBuilder) -> Any:
    if isinstance(node, ast.Slice):
        nest.fail("kernels have no slices; write a loop", node)
    value = evaluate(node, nest)
    if isinstance(value, bool | float) or not isinstance(value, AffineIndex | int | ir.Value):
        nest.fail(f"{ast.unparse(node)} is no index", node)
    if isinstance(value, ir.Value) and not isinstance(value.type, ir.IndexType | ir.IntegerType):
        nest.fail(f"{ast.unparse(node)} is a {value.type}; subscripts are integers", node)
    return value


@expression(ast.Subscript)
def _load(node: ast.Subscript, nest: NestBuilder) -> Any:
    base = evaluate(node.value, nest)
    if isinstance(base, tuple | list):
        position = evaluate(node.slice, nest)
        if not isinstance(position, int) or not -len(base) <= position < len(base):
            nest.fail(f"{ast.unparse(node.slice)} is no index of {ast.unparse(node.value)}", node)
        return _plain(base[position])
    return element(node, nest).load(nest)
