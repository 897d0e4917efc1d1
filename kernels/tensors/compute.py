"""`compute`: a tensor by what each of its elements is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mlc.bindings import ir
from mlc.kernels.elements import element as element_type
from mlc.kernels.errors import KernelError, SourceLocation, caller_place, located, surface
from mlc.kernels.expressions import Apply, Convert, Expression, IterationAxis, Reduce, Select, TensorElement
from mlc.kernels.tensors.generic import build_generic
from mlc.kernels.tensors.symbols import SymbolicTensor
from mlc.passes.common.linalg_builders import full_tensor
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.lowering.common import scalars
from mlc.passes.lowering.rules.reduction import highest, lowest, sum_step

# Kind -> the value of an empty reduction, and how two values combine.
_REDUCTIONS: dict[str, tuple[Callable[[ir.Type], float | int], Callable[[ir.Value, ir.Value], ir.Value]]] = {
    "sum": (lambda _: 0, sum_step),
    "prod": (lambda _: 1, scalars.mul),
    "max": (lowest, scalars.maximum),
    "min": (highest, scalars.minimum),
}


@surface
def compute(shape: Any, function: Callable[..., Any], name: str = "", element: Any = None) -> Any:
    """A tensor of `shape` whose element at `i, j, ...` is `function(i, j, ...)`.

    `function` is called once, on axes: `compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k))`. A schedule
    finds the computation as the block `name` (without one: `compute`, `compute_1`, ...); a reduction inside
    a larger expression is a block of its own, `name_sum` or the like, and each starts from one called
    `..._init`. `element` is the element type where the
    expression has none. Belongs into a function that `expression` decorates. Raises KernelError.
    """
    place = caller_place()
    block = _current_block(place)
    name = _free_name(name, block, place)
    sizes = [int(size) for size in (shape if isinstance(shape, tuple | list) else (shape,))]
    names = _axis_names(function, len(sizes), place)
    axes = [IterationAxis(each, size, place) for each, size in zip(names, sizes, strict=True)]
    body = function(*axes)
    kind = ir.Type.parse(element_type(element).name) if element is not None else None
    with located(place):
        return SymbolicTensor(name, _build(body, axes, name, kind))


def _current_block(place: SourceLocation) -> ir.Block:
    """The body of the kernel under construction."""
    try:
        return ir.InsertionPoint.current.block
    except ValueError:
        raise KernelError("compute belongs into a function that mlc.expression decorates", place) from None


def _free_name(name: str, block: ir.Block, place: SourceLocation) -> str:
    """`name`, or one of our own; schedules find computations by their names."""
    attributes = [op.operation.attributes for op in block]
    taken = {attribute[BLOCK_TAG].value for attribute in attributes if BLOCK_TAG in attribute}
    if name in taken:
        raise KernelError(f"two computations are called '{name}'", place)
    own = ("compute" if not number else f"compute_{number}" for number in count())
    return name or next(each for each in own if each not in taken)


def _axis_names(function: Callable[..., Any], count: int, place: SourceLocation) -> list[str]:
    names = list(inspect.signature(function).parameters)
    if len(names) != count:
        raise KernelError(f"the shape has {count} dims, but the function takes {len(names)} axes", place)
    return names


def _build(body: Any, axes: Sequence[IterationAxis], name: str, kind: ir.Type | None) -> ir.Value:
    if isinstance(body, Reduce):
        return _reduce(body, axes, name, kind)
    return build_generic(_without_reductions(body, axes, name, {}), axes, (), name, kind)


def _reduce(reduction: Reduce, axes: Sequence[IterationAxis], name: str, kind: ir.Type | None) -> ir.Value:
    identity, combine = _REDUCTIONS[reduction.kind]

    def initial(element: ir.Type) -> ir.Value:
        start = full_tensor([axis.extent for axis in axes], element, identity(element))
        start.owner.attributes[BLOCK_TAG] = ir.StringAttr.get(f"{name}_init")
        return start

    return build_generic(reduction.body, axes, reduction.axes, name, kind, initial, combine)


def _without_reductions(
    expression: Any, axes: Sequence[IterationAxis], name: str, done: dict[int, Any]
) -> Any:
    """The expression with each reduction computed first, and read where it stood."""
    if not isinstance(expression, Expression):
        return expression
    key = id(expression)
    if key not in done:
        done[key] = _rebuilt(expression, axes, name, done)
    return done[key]


def _rebuilt(
    expression: Expression, axes: Sequence[IterationAxis], name: str, done: dict[int, Any]
) -> Expression:
    def again(each: Any) -> Any:
        return _without_reductions(each, axes, name, done)

    match expression:
        case Reduce(kind=kind):
            own = f"{name}_{kind}"
            part = SymbolicTensor(own, _reduce(expression, axes, own, None))
            return TensorElement(part, tuple(axes), expression.place)
        case Apply(operands=operands):
            return replace(expression, operands=tuple(map(again, operands)))
        case Convert(operand=operand):
            return replace(expression, operand=again(operand))
        case Select(condition=condition, x=x, y=y):
            return replace(expression, condition=again(condition), x=again(x), y=again(y))
        case TensorElement(subscripts=subscripts):
            return replace(expression, subscripts=tuple(map(again, subscripts)))
    return expression
