"""Integers with a sign, without one, and floats of less than 16 bits to signless integers.

Upstream's arithmetic knows no others. Graph ops and lowering rules keep such types, because they decide which
ops are built (`divui` or `divsi`, which conversion). Once the ops are built, they have said all they have to
say; of narrow floats only their bits are left, which are moved.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.bindings import arith, ir
from mlc.dialects.graph.attributes import array_of
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.common.narrow_floats import is_narrow_float


def signless(kind: ir.Type) -> ir.Type:
    """`kind` with signless integers: a scalar, a ranked tensor, a vector, or any other type, which stays."""
    if isinstance(kind, ir.IntegerType) and not kind.is_signless:
        return ir.IntegerType.get_signless(kind.width)
    return _with_element(kind, signless)


def as_bits(kind: ir.Type) -> ir.Type:
    """`signless`, and integers in the place of narrow floats."""
    if is_narrow_float(kind):
        return ir.IntegerType.get_signless(kind.width)
    return _with_element(signless(kind), as_bits)


def _with_element(kind: ir.Type, change: Callable[[ir.Type], ir.Type]) -> ir.Type:
    """A tensor or a vector with its element changed; any other type as it is."""
    if isinstance(kind, ir.RankedTensorType):
        element = change(kind.element_type)
        return kind if element == kind.element_type else ir.RankedTensorType.get(kind.shape, element)
    if isinstance(kind, ir.VectorType):
        return ir.VectorType.get(kind.shape, change(kind.element_type))
    return kind


def _signless_constant(value: ir.Attribute) -> ir.Attribute:
    kind = as_bits(value.type)
    if kind == value.type:
        return value
    if isinstance(value, ir.FloatAttr):
        bits = np.array(value.value, dtype_of(str(value.type))).view(np.uint8).item()
        return ir.IntegerAttr.get(kind, _wrapped(bits, kind.width))
    if isinstance(value, ir.IntegerAttr):
        return ir.IntegerAttr.get(kind, _wrapped(value.value, kind.width))
    if is_narrow_float(ir.RankedTensorType(value.type).element_type):
        return _bits(value, kind)
    element = ir.IntegerType(ir.RankedTensorType(kind).element_type)
    elements = map(int, array_of(value).reshape(-1))
    parts = [ir.IntegerAttr.get(element, _wrapped(each, element.width)) for each in elements]
    if parts and value.is_splat:
        return ir.DenseElementsAttr.get_splat(kind, parts[0])
    return _dense(parts, kind)


def _dense(parts: list[ir.Attribute], kind: ir.Type) -> ir.Attribute:
    """The bindings make no attribute of no elements."""
    return ir.DenseElementsAttr.get(parts, kind) if parts else ir.Attribute.parse(f"dense<> : {kind}")


def _bits(value: ir.Attribute, kind: ir.Type) -> ir.Attribute:
    """The bits of narrow floats, as elements of the tensor type `kind`."""
    element = ir.IntegerType(ir.RankedTensorType(kind).element_type)
    codes = array_of(value).view(np.uint8).reshape(-1).tolist()
    parts = [ir.IntegerAttr.get(element, _wrapped(code, element.width)) for code in codes]
    return _dense(parts, kind)


def _wrapped(value: int, width: int) -> int:
    """The signed number with the same bits."""
    return value - (1 << width) if value >= 1 << (width - 1) else value


def drop_signedness(function: ir.Operation) -> None:
    """Makes every type in `function` signless, and bits of narrow floats, its own type included."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_type(as_bits(argument.type))
        for result in op.results:
            result.set_type(as_bits(result.type))
        if op.name == arith.Constant.NAME:
            op.attributes["value"] = _signless_constant(arith.Constant(op).value)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    kind = function.attributes["function_type"].value
    inputs, results = [as_bits(each) for each in kind.inputs], [as_bits(result) for result in kind.results]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
