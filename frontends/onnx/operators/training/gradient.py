"""Gradient: reverse-mode differentiation of the ops that compute a value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.dims.dim_names import named_dims
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.expressions import filled_with
from mlc.frontends.onnx.operators.training.derivative_rules import (
    ELEMENTWISE,
    MOVEMENT,
    REDUCTIONS,
    GradientStep,
    summed_to,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value, from_ir

_RULES = {**ELEMENTWISE, **MOVEMENT, **REDUCTIONS}


@onnx_operator("Gradient", domain="ai.onnx.preview.training")
def gradient(node: Node) -> list[Value]:
    """Imports Gradient: the derivatives of the sum of `y` with respect to each of `xs`, where the inputs
    replace `xs` and `zs`.

    Ops that are computed twice merge later. Raises UnsupportedNodeError naming an op without a rule.
    """
    xs, zs = node.attr("xs"), node.attr("zs", [])
    if len(node.inputs) != len(xs) + len(zs):
        raise NodeError(f"it has {len(node.inputs)} inputs for {len(xs) + len(zs)} names in xs and zs")
    given = [node.input(index) for index in range(len(node.inputs))]
    # Distinct values, even where a model gives one twice or knows it.
    own = [_opaque(node, value) for value in given[: len(xs)]]
    assert node.again is not None
    y = node.again(node.attr("y"), dict(zip([*xs, *zs], [*own, *given[len(xs) :]], strict=True)))
    if not _is_float(y):
        raise NodeError(f"'{node.attr('y')}' has no floats")
    found = _differentiate(node, y, own)
    return [part or filled_with(node, x.shape, 0.0, x.onnx_type) for part, x in zip(found, own, strict=True)]


def _opaque(node: Node, value: Value) -> Value:
    return node.emit("identity", from_ir("", value.ir, value.shape))


def _differentiate(node: Node, y: Value, xs: list[Value]) -> list[Value | None]:
    """Returns the gradients of the xs; None for one that y does not depend on."""
    values = {value.ir: value for value in (*xs, y)}
    gradients = {y.ir: filled_with(node, y.shape, 1.0, y.onnx_type)}
    for op in _backwards(y.ir, {x.ir for x in xs}):
        result = op.results[0]
        if result not in gradients:
            continue
        operands = [values.setdefault(operand, _value(operand)) for operand in op.operands]
        step = GradientStep(node, op, operands, values.setdefault(result, _value(result)), gradients[result])
        for operand, part in zip(operands, _parts(step), strict=True):
            if part is None or not _is_float(operand):
                continue
            own, before = summed_to(node, part, operand.shape), gradients.get(operand.ir)
            gradients[operand.ir] = own if before is None else node.emit("add", before, own)
    return [gradients.get(x.ir) for x in xs]


def _parts(step: GradientStep) -> list[Value | None]:
    rule = _RULES.get(step.op.name)
    if rule is None or len(step.op.results) != 1:
        where = str(step.op.location).removeprefix("loc(").removesuffix(")")
        raise UnsupportedNodeError(f"there is no rule to differentiate '{step.op.name}' of {where}")
    return rule(step)


def _backwards(y: ir.Value, xs: set[ir.Value]) -> Iterator[ir.Operation]:
    """Yields the ops between the xs and y, each after those that use its result."""
    order: list[ir.Operation] = []
    depends: dict[ir.Value, bool] = dict.fromkeys(xs, True)
    waiting = [(y, False)]
    while waiting:
        value, seen = waiting.pop()
        if value in depends or isinstance(value.owner, ir.Block):
            continue
        op = value.owner.operation
        if not seen:
            waiting += [(value, True), *((operand, False) for operand in op.operands)]
            continue
        depends[value] = any(depends.get(operand, False) for operand in op.operands) or _has_regions(op)
        if depends[value]:
            order.append(op)
    return reversed(order)


def _has_regions(op: ir.Operation) -> bool:
    """Whether the op has regions, which may use values that are no operands."""
    return len(op.regions) > 0


def _value(value: ir.Value) -> Value:
    dims = named_dims(value)
    if None in dims:
        raise UnsupportedNodeError("an intermediate value has unknown dims")
    return from_ir("", value, tuple(dim for dim in dims if dim is not None))


def _is_float(value: Value) -> bool:
    return bool(np.issubdtype(value.dtype, np.floating)) or value.dtype.name == "bfloat16"
