"""Conversion of signed and unsigned integers, and of floats of less than 16 bits, to signless integers.

Upstream's arithmetic knows no others. Graph ops and lowering rules keep such types, because they decide which
ops are built (`divui` or `divsi`, which conversion). Once the ops are built, the types have no further use;
of narrow floats only the bits are left, which are moved.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.bindings import arith, func, ir
from mlc.dialects.graph.attributes import array_of
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.common.narrow_floats import is_narrow_float


def signless(type_: ir.Type) -> ir.Type:
    """Returns a scalar, tensor or vector type with signless integers; any other type stays."""
    if isinstance(type_, ir.IntegerType) and not type_.is_signless:
        return ir.IntegerType.get_signless(type_.width)
    return _with_element(type_, signless)


def as_bits(type_: ir.Type) -> ir.Type:
    """Returns a type with signless integers, which also replace narrow floats."""
    if is_narrow_float(type_):
        return ir.IntegerType.get_signless(type_.width)
    return _with_element(signless(type_), as_bits)


def _with_element(type_: ir.Type, change: Callable[[ir.Type], ir.Type]) -> ir.Type:
    """Changes the element type of a tensor or a vector; any other type stays."""
    if isinstance(type_, ir.RankedTensorType):
        element = change(type_.element_type)
        return type_ if element == type_.element_type else ir.RankedTensorType.get(type_.shape, element)
    if isinstance(type_, ir.VectorType):
        return ir.VectorType.get(type_.shape, change(type_.element_type))
    return type_


def _signless_constant(value: ir.Attribute) -> ir.Attribute:
    type_ = as_bits(value.type)
    if type_ == value.type:
        return value
    if isinstance(value, ir.FloatAttr):
        bits = np.array(value.value, dtype_of(str(value.type))).view(np.uint8).item()
        return ir.IntegerAttr.get(type_, _as_signed(bits, type_.width))
    if isinstance(value, ir.IntegerAttr):
        return ir.IntegerAttr.get(type_, _as_signed(value.value, type_.width))
    if is_narrow_float(ir.RankedTensorType(value.type).element_type):
        return _bits(value, type_)
    element = ir.IntegerType(ir.RankedTensorType(type_).element_type)
    elements = map(int, array_of(value).reshape(-1))
    parts = [ir.IntegerAttr.get(element, _as_signed(integer, element.width)) for integer in elements]
    if parts and value.is_splat:
        return ir.DenseElementsAttr.get_splat(type_, parts[0])
    return _dense(parts, type_)


def _dense(parts: list[ir.Attribute], type_: ir.Type) -> ir.Attribute:
    """Builds a dense attribute; the bindings make none without elements."""
    return ir.DenseElementsAttr.get(parts, type_) if parts else ir.Attribute.parse(f"dense<> : {type_}")


def _bits(value: ir.Attribute, type_: ir.Type) -> ir.Attribute:
    """Returns the bits of narrow floats, as elements of the tensor type `type_`."""
    element = ir.IntegerType(ir.RankedTensorType(type_).element_type)
    codes = array_of(value).view(np.uint8).reshape(-1).tolist()
    parts = [ir.IntegerAttr.get(element, _as_signed(code, element.width)) for code in codes]
    return _dense(parts, type_)


def _as_signed(value: int, width: int) -> int:
    """Returns the signed integer with the same bits."""
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
            arith.Constant(op).value = _signless_constant(arith.Constant(op).value)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    type_ = func.Func(function).function_type
    inputs, results = (list(map(as_bits, types)) for types in (type_.inputs, type_.results))
    func.Func(function).function_type = ir.FunctionType.get(inputs, results)
