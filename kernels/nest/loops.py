"""Loops of loop nests: `affine.for` where the bounds are affine, else `scf.for`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from mlc.bindings import affine, arith, ir, scf
from mlc.kernels.builtin_functions import SYNONYMS, maximum, minimum
from mlc.kernels.nest.affine_indices import affine_of, index_value, map_of
from mlc.kernels.nest.nest_expressions import as_scalar, evaluate
from mlc.kernels.nest.nest_state import AffineIndex, NestBuilder
from mlc.kernels.scalars import to_type

# The name of a loop for schedules and messages.
LOOP_NAME = "tloop.name"


@dataclass(frozen=True)
class Bounds:
    """The range from the largest of `lower` up to the smallest of `upper`, excluded, in steps of `step`."""

    lower: Sequence[Any]
    upper: Sequence[Any]
    step: int

    @property
    def affine(self) -> bool:
        """Whether all bounds are affine."""
        return all(affine_of(end) is not None for end in (*self.lower, *self.upper))


def loop_bounds(node: ast.expr, nest: NestBuilder) -> Bounds:
    """Returns the bounds of `range(...)`."""
    if not (isinstance(node, ast.Call) and evaluate(node.func, nest) is builtins.range and not node.keywords):
        nest.fail("kernels loop over range(...) only", node)
    arguments = node.args
    if not 1 <= len(arguments) <= 3:
        nest.fail(f"range takes 1 to 3 arguments, not {len(arguments)}", node)
    step = evaluate(arguments[2], nest) if len(arguments) == 3 else 1
    if not isinstance(step, int) or isinstance(step, bool) or step < 1:
        nest.fail("the step of a loop is a positive integer", arguments[2])
    lower = _ends(arguments[0], maximum, nest) if len(arguments) > 1 else [0]
    return Bounds(lower, _ends(arguments[min(len(arguments), 2) - 1], minimum, nest), step)


def _ends(node: ast.expr, function: Any, nest: NestBuilder) -> list[Any]:
    """Returns one bound; or several, of which `function` (`minimum` or `maximum`) chooses one."""
    if (
        isinstance(node, ast.Call)
        and SYNONYMS.get(evaluate(node.func, nest)) is function
        and len(node.args) > 1
    ):
        ends = [_end(arg, nest) for arg in node.args]
        if all(affine_of(end) is not None for end in ends):
            return ends
    return [_end(node, nest)]


def _end(node: ast.expr, nest: NestBuilder) -> Any:
    value = evaluate(node, nest)
    is_integer = isinstance(value, ir.Value) and isinstance(value.type, ir.IndexType | ir.IntegerType)
    if not (is_integer or isinstance(value, AffineIndex) or affine_of(value) is not None):
        nest.fail(f"{ast.unparse(node)} is no integer", node)
    return value


def build_loop(
    node: ast.For, bounds: Bounds, carried: Sequence[str], body: Callable[[], None], nest: NestBuilder
) -> None:
    """Builds the loop, which carries the scalars named in `carried`."""
    initial = [_initial_value(name, node, nest) for name in carried]
    types = [value.type for value in initial]
    make = _affine_loop if bounds.affine else _scf_loop
    op = make(bounds, initial, nest)
    variable, *arguments = op.regions[0].blocks[0].arguments
    assert isinstance(node.target, ast.Name), "checked by the caller"
    with nest.inside(op.regions[0].blocks[0]):
        nest.scope[node.target.id] = _variable(variable, bounds, nest)
        nest.scope.update(zip(carried, arguments, strict=True))
        body()
        values = [
            to_type(as_scalar(nest.scope[name], node, nest), type_)
            for name, type_ in zip(carried, types, strict=True)
        ]
        (affine.AffineYieldOp if bounds.affine else scf.YieldOp)(values)
    op.attributes[LOOP_NAME] = ir.StringAttr.get(node.target.id)
    nest.scope.update(zip(carried, op.results, strict=True))


def _initial_value(name: str, node: ast.For, nest: NestBuilder) -> ir.Value:
    value = nest.scope[name]
    if not isinstance(value, ir.Value):
        nest.fail(
            f"the loop changes '{name}', the Python scalar {value}; give it a type: {name} = f32({value})",
            node,
        )
    return value


def _variable(value: ir.Value, bounds: Bounds, nest: NestBuilder) -> Any:
    """Returns the loop's variable: an affine dim if the bounds are affine, else a value."""
    if not bounds.affine:
        return value
    nest.loops.append(value)
    nest.ranges.append(_range(bounds, nest))
    return AffineIndex(ir.AffineExpr.get_dim(len(nest.loops) - 1))


def _range(bounds: Bounds, nest: NestBuilder) -> tuple[int, int] | None:
    """Returns the lowest and highest value of the variable if the bounds are static, else None."""
    if not all(isinstance(end, int) for end in (*bounds.lower, *bounds.upper)):
        return None
    low, high = max(bounds.lower), min(bounds.upper)
    return (low, low + (high - 1 - low) // bounds.step * bounds.step) if low < high else None


def _affine_loop(bounds: Bounds, initial: Sequence[ir.Value], nest: NestBuilder) -> ir.Operation:
    ends = []
    for given in (bounds.lower, bounds.upper):
        ends.append(map_of([end for end in map(affine_of, given) if end is not None], nest))
    (lower, lower_operands), (upper, upper_operands) = ends
    return affine.AffineForOp(
        lower,
        upper,
        bounds.step,
        iter_args=list(initial),
        lower_bound_operands=lower_operands,
        upper_bound_operands=upper_operands,
    ).operation


def _scf_loop(bounds: Bounds, initial: Sequence[ir.Value], nest: NestBuilder) -> ir.Operation:
    lower = reduce(arith.maxsi, [index_value(end, nest) for end in bounds.lower])
    upper = reduce(arith.minsi, [index_value(end, nest) for end in bounds.upper])
    return scf.ForOp(lower, upper, index_value(bounds.step, nest), list(initial)).operation
