"""The function `compute`: a tensor from a function of its elements."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mlc.bindings import ir
from mlc.kernels.elements import element as element_type
from mlc.kernels.errors import KernelError, SourceLocation, at_location, caller_location, surface
from mlc.kernels.expressions import Apply, Convert, Expression, IterationAxis, Reduce, Select, TensorElement
from mlc.kernels.tensors.generic import build_generic
from mlc.kernels.tensors.symbols import SymbolicTensor
from mlc.passes.common.linalg_builders import full_tensor
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.lowering.common import scalars
from mlc.passes.lowering.rules.reduction import highest, lowest, sum_step

# Combiner -> the identity of the reduction, and the function that combines two values.
_REDUCTIONS: dict[str, tuple[Callable[[ir.Type], float | int], Callable[[ir.Value, ir.Value], ir.Value]]] = {
    "sum": (lambda _: 0, sum_step),
    "prod": (lambda _: 1, scalars.mul),
    "max": (lowest, scalars.maximum),
    "min": (highest, scalars.minimum),
}


@surface
def compute(shape: Any, function: Callable[..., Any], name: str = "", element: Any = None) -> Any:
    """Returns a tensor of `shape` whose element at `i, j, ...` is `function(i, j, ...)`.

    `function` is called once, on axes: `compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k))`. A schedule
    finds the computation as the block `name` (without one: `compute`, `compute_1`, ...); a reduction inside
    a larger expression is a separate block, `name_sum` or the like, and each starts from one called
    `..._init`. `element` is the element type where the expression has none. Belongs into a function that
    `expression` decorates. Raises KernelError.
    """
    location = caller_location()
    block = _current_block(location)
    name = _free_name(name, block, location)
    sizes = [int(size) for size in (shape if isinstance(shape, tuple | list) else (shape,))]
    names = _axis_names(function, len(sizes), location)
    axes = [IterationAxis(axis, size, location) for axis, size in zip(names, sizes, strict=True)]
    body = function(*axes)
    result_element = ir.Type.parse(element_type(element).name) if element is not None else None
    with at_location(location):
        return SymbolicTensor(name, _build(body, axes, name, result_element))


def _current_block(location: SourceLocation) -> ir.Block:
    """Returns the body of the kernel under construction."""
    try:
        return ir.InsertionPoint.current.block
    except ValueError:
        raise KernelError("compute belongs into a function that mlc.expression decorates", location) from None


def _free_name(name: str, block: ir.Block, location: SourceLocation) -> str:
    """Returns `name`, or a generated one; schedules find computations by their names."""
    attributes = [op.operation.attributes for op in block]
    taken = {attribute[BLOCK_TAG].value for attribute in attributes if BLOCK_TAG in attribute}
    if name in taken:
        raise KernelError(f"two computations are called '{name}'", location)
    generated = ("compute" if not index else f"compute_{index}" for index in count())
    return name or next(candidate for candidate in generated if candidate not in taken)


def _axis_names(function: Callable[..., Any], count: int, location: SourceLocation) -> list[str]:
    names = list(inspect.signature(function).parameters)
    if len(names) != count:
        raise KernelError(f"the shape has {count} dims, but the function takes {len(names)} axes", location)
    return names


def _build(body: Any, axes: Sequence[IterationAxis], name: str, element: ir.Type | None) -> ir.Value:
    if isinstance(body, Reduce):
        return _reduce(body, axes, name, element)
    return build_generic(_without_reductions(body, axes, name, {}), axes, (), name, element)


def _reduce(reduction: Reduce, axes: Sequence[IterationAxis], name: str, element: ir.Type | None) -> ir.Value:
    identity, combine = _REDUCTIONS[reduction.combiner]

    def initial(element: ir.Type) -> ir.Value:
        start = full_tensor([axis.extent for axis in axes], element, identity(element))
        start.owner.attributes[BLOCK_TAG] = ir.StringAttr.get(f"{name}_init")
        return start

    return build_generic(reduction.body, axes, reduction.axes, name, element, initial, combine)


def _without_reductions(
    expression: Any, axes: Sequence[IterationAxis], name: str, done: dict[int, Any]
) -> Any:
    """Returns the expression with each reduction computed before, and replaced by reads of its result."""
    if not isinstance(expression, Expression):
        return expression
    key = id(expression)
    if key not in done:
        done[key] = _rebuilt(expression, axes, name, done)
    return done[key]


def _rebuilt(
    expression: Expression, axes: Sequence[IterationAxis], name: str, done: dict[int, Any]
) -> Expression:
    def rebuild(operand: Any) -> Any:
        return _without_reductions(operand, axes, name, done)

    match expression:
        case Reduce(combiner=combiner):
            own = f"{name}_{combiner}"
            part = SymbolicTensor(own, _reduce(expression, axes, own, None))
            return TensorElement(part, tuple(axes), expression.location)
        case Apply(operands=operands):
            return replace(expression, operands=tuple(map(rebuild, operands)))
        case Convert(operand=operand):
            return replace(expression, operand=rebuild(operand))
        case Select(condition=condition, x=x, y=y):
            return replace(expression, condition=rebuild(condition), x=rebuild(x), y=rebuild(y))
        case TensorElement(subscripts=subscripts):
            return replace(expression, subscripts=tuple(map(rebuild, subscripts)))
    return expression
