"""Values with Python's operators, so that a function reads like its formula; built at the insertion point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, math
from mlc.passes.common.constants import i32, i64


def element_type(type_: ir.Type) -> ir.Type:
    """Returns the element type of a vector type; another type is its own element."""
    return ir.VectorType(type_).element_type if isinstance(type_, ir.VectorType) else type_


def with_element(type_: ir.Type, element: ir.Type) -> ir.Type:
    """Returns a scalar or vector type with `element` instead of its element type."""
    return ir.VectorType.get(ir.VectorType(type_).shape, element) if _is_vector(type_) else element


def _is_vector(type_: ir.Type) -> bool:
    return isinstance(type_, ir.VectorType)


def _is_float(type_: ir.Type) -> bool:
    return isinstance(element_type(type_), ir.FloatType)


# The sign bit of an f32.
SIGN = -0x80000000


@dataclass(frozen=True)
class FloatValue:
    """A scalar or a vector of floats or signless integers. Python floats become constants of its type."""

    value: ir.Value

    @property
    def type(self) -> ir.Type:
        """The type of the value."""
        return self.value.type

    def constant(self, scalar: float) -> FloatValue:
        """Builds a constant of this type."""
        element = element_type(self.type)
        make = ir.FloatAttr.get if _is_float(self.type) else ir.IntegerAttr.get
        attribute = make(element, scalar)
        if _is_vector(self.type):
            attribute = ir.DenseElementsAttr.get_splat(self.type, attribute)
        return FloatValue(arith.ConstantOp(self.type, attribute).result)

    def _other(self, other: FloatValue | float) -> ir.Value:
        return other.value if isinstance(other, FloatValue) else self.constant(other).value

    def __add__(self, other: FloatValue | float) -> FloatValue:
        add = arith.addf if _is_float(self.type) else arith.addi
        return FloatValue(add(self.value, self._other(other)))

    def __sub__(self, other: FloatValue | float) -> FloatValue:
        subtract = arith.subf if _is_float(self.type) else arith.subi
        return FloatValue(subtract(self.value, self._other(other)))

    def __rsub__(self, other: float) -> FloatValue:
        return self.constant(other) - self

    def __mul__(self, other: FloatValue | float) -> FloatValue:
        multiply = arith.mulf if _is_float(self.type) else arith.muli
        return FloatValue(multiply(self.value, self._other(other)))

    def __rmul__(self, other: float) -> FloatValue:
        return self.constant(other) * self

    def __truediv__(self, other: FloatValue | float) -> FloatValue:
        return FloatValue(arith.divf(self.value, self._other(other)))

    def __rtruediv__(self, other: float) -> FloatValue:
        return self.constant(other) / self

    def __neg__(self) -> FloatValue:
        return FloatValue(arith.negf(self.value))

    def __abs__(self) -> FloatValue:
        return FloatValue(math.absf(self.value))

    def __and__(self, other: FloatValue | float) -> FloatValue:
        return FloatValue(arith.andi(self.value, self._other(other)))

    def __or__(self, other: FloatValue | float) -> FloatValue:
        return FloatValue(arith.ori(self.value, self._other(other)))

    def __xor__(self, other: FloatValue | float) -> FloatValue:
        return FloatValue(arith.xori(self.value, self._other(other)))

    def __lshift__(self, other: FloatValue | float) -> FloatValue:
        return FloatValue(arith.shli(self.value, self._other(other)))

    def __rshift__(self, other: FloatValue | float) -> FloatValue:
        """Shifts arithmetically: the sign is kept."""
        return FloatValue(arith.shrsi(self.value, self._other(other)))

    def compare(self, predicate: str, other: FloatValue | float) -> FloatValue:
        """Builds a comparison, of type i1. `predicate` is a name of arith.CmpFPredicate or
        arith.CmpIPredicate."""
        if _is_float(self.type):
            return FloatValue(
                arith.cmpf(getattr(arith.CmpFPredicate, predicate), self.value, self._other(other))
            )
        return FloatValue(arith.cmpi(getattr(arith.CmpIPredicate, predicate), self.value, self._other(other)))

    def __lt__(self, other: FloatValue | float) -> FloatValue:
        """False where one is NaN."""
        return self.compare("OLT", other)

    def __gt__(self, other: FloatValue | float) -> FloatValue:
        """False where one is NaN."""
        return self.compare("OGT", other)

    def at_least(self, low: float) -> FloatValue:
        """Returns the larger of this and `low`, NaN for NaN: x86 has comparison and selection as one
        instruction."""
        return select(self < low, low, self)

    def at_most(self, high: float) -> FloatValue:
        """Returns the smaller of this and `high`, NaN for NaN."""
        return select(self > high, high, self)

    def bits(self) -> FloatValue:
        """Returns the integer of the same width with the same bits."""
        width = element_type(self.type).width
        type_ = with_element(self.type, ir.IntegerType.get_signless(width))
        return FloatValue(arith.bitcast(type_, self.value))

    def as_float(self, type_: ir.Type) -> FloatValue:
        """Returns the float of type `type_`, of the same width, with the same bits."""
        return FloatValue(arith.bitcast(type_, self.value))

    def to_float(self, type_: ir.Type) -> FloatValue:
        """Converts an integer, rounded."""
        return FloatValue(arith.sitofp(type_, self.value))

    def to_integer(self) -> FloatValue:
        """Converts an f32 without its fraction to i32. It must be in range, and not NaN."""
        return FloatValue(arith.fptosi(with_element(self.type, i32()), self.value))

    def to_f64(self) -> FloatValue:
        """Converts an f32."""
        return FloatValue(arith.extf(with_element(self.type, ir.F64Type.get()), self.value))

    def to_f32(self) -> FloatValue:
        """Rounds an f64."""
        return FloatValue(arith.truncf(with_element(self.type, ir.F32Type.get()), self.value))

    def shift_right_unsigned(self, other: FloatValue | float) -> FloatValue:
        """Shifts logically: zeros come in."""
        return FloatValue(arith.shrui(self.value, self._other(other)))

    def with_bits_flipped(self, mask: FloatValue) -> FloatValue:
        """Flips the bits of an f32 that are set in the integer `mask`."""
        return (self.bits() ^ mask).as_float(self.type)

    def with_sign_of(self, other: FloatValue) -> FloatValue:
        """Returns this float with the sign of `other`."""
        return FloatValue(math.copysign(self.value, other.value))


def select(condition: FloatValue, x: FloatValue | float, y: FloatValue | float) -> FloatValue:
    """Returns `x` where `condition` holds, else `y`. One of them must be a FloatValue."""
    like = x if isinstance(x, FloatValue) else y
    assert isinstance(like, FloatValue)
    return FloatValue(arith.select(condition.value, like._other(x), like._other(y)))


def multiply_add(a: FloatValue, b: FloatValue | float, c: FloatValue | float) -> FloatValue:
    """Returns `a * b + c`, one instruction with one rounding if the machine has it."""
    flag = arith.FastMathFlags.contract
    product = arith.mulf(a.value, a._other(b), fastmath=flag)
    return FloatValue(arith.addf(product, a._other(c), fastmath=flag))


def horner(x: FloatValue, coefficients: Sequence[float]) -> FloatValue:
    """Evaluates the polynomial with `coefficients`, lowest degree first, at `x`."""
    result = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = multiply_add(result, x, coefficient)
    return result


def square_root(x: FloatValue) -> FloatValue:
    """Returns the square root."""
    return FloatValue(math.sqrt(x.value))


def wide_product(a: FloatValue, b: FloatValue) -> tuple[FloatValue, FloatValue]:
    """Returns the low and the high 32 bits of the product of two unsigned i32, as `arith.mului_extended`,
    which has no lowering for vectors of several dims."""
    wide = with_element(a.type, i64())
    product = FloatValue(arith.muli(*(arith.extui(wide, factor.value) for factor in (a, b))))
    high = product.shift_right_unsigned(32)
    return FloatValue(arith.trunci(a.type, product.value)), FloatValue(arith.trunci(a.type, high.value))
