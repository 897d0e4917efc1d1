"""Integer types, integer attributes, and constants at the insertion point."""

from __future__ import annotations

from mlc.bindings import arith, ir


def i1() -> ir.Type:
    """The type of booleans."""
    return ir.IntegerType.get_signless(1)


def i8() -> ir.Type:
    """The type of bytes."""
    return ir.IntegerType.get_signless(8)


def i32() -> ir.Type:
    """The signless integer type of 32 bits."""
    return ir.IntegerType.get_signless(32)


def i64() -> ir.Type:
    """The signless integer type of 64 bits."""
    return ir.IntegerType.get_signless(64)


def i32_attribute(value: int) -> ir.IntegerAttr:
    """Returns `value : i32`."""
    return ir.IntegerAttr.get(i32(), value)


def i64_attribute(value: int) -> ir.IntegerAttr:
    """Returns `value : i64`."""
    return ir.IntegerAttr.get(i64(), value)


def integer_constant(type_: ir.Type, value: int) -> ir.Value:
    """Builds an `arith.constant` of an integer or index type."""
    return arith.ConstantOp(type_, ir.IntegerAttr.get(type_, value)).result


def index_constant(value: int) -> ir.Value:
    """Builds an `arith.constant` of type `index`."""
    return integer_constant(ir.IndexType.get(), value)


def constant_value(value: ir.Value) -> int | None:
    """Returns the integer that an `arith.constant` is, or None for other values."""
    constant = arith.Constant.defining(value)
    return int(constant.value.value) if constant is not None else None


def is_zero_constant(value: ir.Value) -> bool:
    """Whether `value` is an `arith.constant` of zero, or of zeros alone."""
    constant = arith.Constant.defining(value)
    if constant is None:
        return False
    attribute = constant.value
    if isinstance(attribute, ir.DenseElementsAttr):
        return bool(attribute.is_splat) and attribute.get_splat_value().value == 0
    return bool(attribute.value == 0)
