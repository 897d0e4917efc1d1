"""Arithmetic on 16-bit floats is done in f32 and rounded once per graph op.

The polynomials of `tloop-expand-math` and sums over long rows need f32, and few machines compute in 16 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import elementwise, note_shape, static_shape
from mlc.passes.common.rewriting import defining_op, erase_if_unused, users
from mlc.passes.graph.common.casts import UNROUNDED
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import Rule

FAMILIES = ("elementwise", "reduction", "contraction", "convolution", "pooling", "normalisation")
# These move or compare elements: nothing is computed. A scan widens its running total itself.
EXACT = {
    "bitcast",
    "cast",
    "identity",
    "where",
    "is_nan",
    "is_inf",
    "arg_max",
    "arg_min",
    "max_pool",
    "cumsum",
    "cumprod",
}
WIDENED = {
    f"graph.{spec.name}"
    for spec in graph.specs().values()
    if spec.family in FAMILIES and spec.name not in EXACT
}


def is_narrow(type_: ir.Type) -> bool:
    """Whether `type_` is a tensor of 16-bit floats."""
    return isinstance(type_, ir.RankedTensorType) and isinstance(type_.element_type, ir.F16Type | ir.BF16Type)


def convert_elements(x: ir.Value, element: ir.Type) -> ir.Value:
    """`x` with every element converted as ONNX's Cast does."""
    if ir.RankedTensorType(x.type).element_type == element:
        return x
    result = ir.RankedTensorType.get(x.type.shape, element)
    return elementwise([x], result, lambda scalars: convert(scalars[0], element))


def needs_widening(op: ir.Operation) -> bool:
    """Whether `op` computes on 16-bit floats."""
    return op.name in WIDENED and any(is_narrow(value.type) for value in op.operands)


def lower_widened(op: ir.Operation, rule: Rule) -> list[ir.Value]:
    """Applies `rule` to `op` in f32, and rounds to the types of op's results."""
    single = ir.F32Type.get()
    wide = op.clone()
    transposes: list[ir.Operation] = []
    for index, value in enumerate(op.operands):
        if is_narrow(value.type):
            with ir.InsertionPoint(wide):
                wide.operands[index] = _widen_operand(value, single, transposes)
    for before, result in zip(op.results, wide.results, strict=True):
        if is_narrow(result.type):
            result.set_type(ir.RankedTensorType.get(result.type.shape, single))
        note_shape(result, static_shape(before))
    values = rule(wide)
    for copy in (wide, *transposes):
        erase_if_unused(copy)
    if UNROUNDED in op.attributes:
        _skip_rounding(op, values[0])
    return _narrow_results(values, op.results)


def _widen_operand(value: ir.Value, element: ir.Type, transposes: list[ir.Operation]) -> ir.Value:
    """Returns `value` with wider elements. A transpose, which a contraction may read through, is applied
    after the conversion, and added to `transposes`."""
    before = defining_op(value, graph.Transpose.NAME)
    if before is None:
        return convert_elements(value, element)
    after = graph.Transpose(before.clone())
    with ir.InsertionPoint(after.operation):
        after.x = convert_elements(graph.Transpose(before).x, element)
    after.result.set_type(ir.RankedTensorType.get(value.type.shape, element))
    note_shape(after.result, static_shape(value))
    transposes.append(after.operation)
    return after.result


def _skip_rounding(op: ir.Operation, value: ir.Value) -> None:
    """Lets casts of the result of `op` to f32 read `value`, that result in f32."""
    for reader in users(op.results[0]):
        if reader.name == graph.Cast.NAME and graph.Cast(reader).result.type == value.type:
            graph.Cast(reader).result.replace_all_uses_with(value)


def _narrow_results(values: Sequence[ir.Value], results: Sequence[ir.Value]) -> list[ir.Value]:
    elements = [ir.RankedTensorType(result.type).element_type for result in results]
    return [convert_elements(value, element) for value, element in zip(values, elements, strict=True)]
