"""Values with Python's operators, so that a function reads like its formula; built at the insertion point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, math
from mlc.passes.common.constants import i32, i64


def element_type(kind: ir.Type) -> ir.Type:
    """Of a vector type; another type is its own element."""
    return ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind


def with_element(kind: ir.Type, element: ir.Type) -> ir.Type:
    """`kind`, a scalar or vector type, with `element` instead of its element type."""
    return ir.VectorType.get(ir.VectorType(kind).shape, element) if _is_vector(kind) else element


def _is_vector(kind: ir.Type) -> bool:
    return isinstance(kind, ir.VectorType)


def _is_float(kind: ir.Type) -> bool:
    return isinstance(element_type(kind), ir.FloatType)


# The sign bit of an f32.
SIGN = -0x80000000


@dataclass(frozen=True)
class FloatValue:
    """A scalar or a vector of floats or signless integers. Python numbers become constants of its type."""

    value: ir.Value

    @property
    def type(self) -> ir.Type:
        return self.value.type

    def constant(self, number: float) -> FloatValue:
        """`number` in this type."""
        element = element_type(self.type)
        make = ir.FloatAttr.get if _is_float(self.type) else ir.IntegerAttr.get
        attribute = make(element, number)
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
        """The sign is kept."""
        return FloatValue(arith.shrsi(self.value, self._other(other)))

    def compare(self, predicate: str, other: FloatValue | float) -> FloatValue:
        """`predicate` is a name of arith.CmpFPredicate or arith.CmpIPredicate. The result is i1."""
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
        """NaN stays: a comparison and a selection, which x86 has as one instruction."""
        return select(self < low, low, self)

    def at_most(self, high: float) -> FloatValue:
        """NaN stays."""
        return select(self > high, high, self)

    def bits(self) -> FloatValue:
        """The integer of the same width with the same bits."""
        width = element_type(self.type).width
        kind = with_element(self.type, ir.IntegerType.get_signless(width))
        return FloatValue(arith.bitcast(kind, self.value))

    def as_float(self, kind: ir.Type) -> FloatValue:
        """The float of type `kind`, of the same width, with the same bits."""
        return FloatValue(arith.bitcast(kind, self.value))

    def to_float(self, kind: ir.Type) -> FloatValue:
        """This integer, rounded."""
        return FloatValue(arith.sitofp(kind, self.value))

    def to_integer(self) -> FloatValue:
        """This f32, without its fraction, as i32. It must be in range, and not NaN."""
        kind = with_element(self.type, i32())
        return FloatValue(arith.fptosi(kind, self.value))

    def widened(self) -> FloatValue:
        """This f32 as f64."""
        return FloatValue(arith.extf(with_element(self.type, ir.F64Type.get()), self.value))

    def narrowed(self) -> FloatValue:
        """This f64 rounded to f32."""
        return FloatValue(arith.truncf(with_element(self.type, ir.F32Type.get()), self.value))

    def shift_right_unsigned(self, other: FloatValue | float) -> FloatValue:
        return FloatValue(arith.shrui(self.value, self._other(other)))

    def with_bits_flipped(self, mask: FloatValue) -> FloatValue:
        """This f32, but those bits flipped that are set in the integer `mask`."""
        return (self.bits() ^ mask).as_float(self.type)

    def with_sign_of(self, other: FloatValue) -> FloatValue:
        return FloatValue(math.copysign(self.value, other.value))


def select(condition: FloatValue, x: FloatValue | float, y: FloatValue | float) -> FloatValue:
    """Where `condition` holds `x`, else `y`. One of them must be a Number."""
    like = x if isinstance(x, FloatValue) else y
    assert isinstance(like, FloatValue)
    return FloatValue(arith.select(condition.value, like._other(x), like._other(y)))


def multiply_add(a: FloatValue, b: FloatValue | float, c: FloatValue | float) -> FloatValue:
    """a * b + c, one instruction with one rounding where the machine has it."""
    flag = arith.FastMathFlags.contract
    product = arith.mulf(a.value, a._other(b), fastmath=flag)
    return FloatValue(arith.addf(product, a._other(c), fastmath=flag))


def horner(x: FloatValue, coefficients: Sequence[float]) -> FloatValue:
    """The polynomial with `coefficients`, lowest degree first, at `x`."""
    result = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = multiply_add(result, x, coefficient)
    return result


def square_root(x: FloatValue) -> FloatValue:
    return FloatValue(math.sqrt(x.value))


def wide_product(a: FloatValue, b: FloatValue) -> tuple[FloatValue, FloatValue]:
    """The low and the high 32 bits of the product of two unsigned i32. What `arith.mului_extended` becomes,
    which has no lowering for vectors of several dims."""
    wide = with_element(a.type, i64())
    product = FloatValue(arith.muli(*(arith.extui(wide, each.value) for each in (a, b))))
    high = product.shift_right_unsigned(32)
    return FloatValue(arith.trunci(a.type, product.value)), FloatValue(arith.trunci(a.type, high.value))
