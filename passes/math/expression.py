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
class Number:
    """A scalar or a vector of floats or signless integers. Python numbers become constants of its type."""

    value: ir.Value

    @property
    def type(self) -> ir.Type:
        return self.value.type

    def constant(self, number: float) -> Number:
        """`number` in this type."""
        element = element_type(self.type)
        make = ir.FloatAttr.get if _is_float(self.type) else ir.IntegerAttr.get
        attribute = make(element, number)
        if _is_vector(self.type):
            attribute = ir.DenseElementsAttr.get_splat(self.type, attribute)
        return Number(arith.ConstantOp(self.type, attribute).result)

    def _other(self, other: Number | float) -> ir.Value:
        return other.value if isinstance(other, Number) else self.constant(other).value

    def __add__(self, other: Number | float) -> Number:
        add = arith.addf if _is_float(self.type) else arith.addi
        return Number(add(self.value, self._other(other)))

    def __sub__(self, other: Number | float) -> Number:
        subtract = arith.subf if _is_float(self.type) else arith.subi
        return Number(subtract(self.value, self._other(other)))

    def __rsub__(self, other: float) -> Number:
        return self.constant(other) - self

    def __mul__(self, other: Number | float) -> Number:
        multiply = arith.mulf if _is_float(self.type) else arith.muli
        return Number(multiply(self.value, self._other(other)))

    def __rmul__(self, other: float) -> Number:
        return self.constant(other) * self

    def __truediv__(self, other: Number | float) -> Number:
        return Number(arith.divf(self.value, self._other(other)))

    def __rtruediv__(self, other: float) -> Number:
        return self.constant(other) / self

    def __neg__(self) -> Number:
        return Number(arith.negf(self.value))

    def __abs__(self) -> Number:
        return Number(math.absf(self.value))

    def __and__(self, other: Number | float) -> Number:
        return Number(arith.andi(self.value, self._other(other)))

    def __or__(self, other: Number | float) -> Number:
        return Number(arith.ori(self.value, self._other(other)))

    def __xor__(self, other: Number | float) -> Number:
        return Number(arith.xori(self.value, self._other(other)))

    def __lshift__(self, other: Number | float) -> Number:
        return Number(arith.shli(self.value, self._other(other)))

    def __rshift__(self, other: Number | float) -> Number:
        """The sign is kept."""
        return Number(arith.shrsi(self.value, self._other(other)))

    def compare(self, predicate: str, other: Number | float) -> Number:
        """`predicate` is a name of arith.CmpFPredicate or arith.CmpIPredicate. The result is i1."""
        if _is_float(self.type):
            return Number(arith.cmpf(getattr(arith.CmpFPredicate, predicate), self.value, self._other(other)))
        return Number(arith.cmpi(getattr(arith.CmpIPredicate, predicate), self.value, self._other(other)))

    def __lt__(self, other: Number | float) -> Number:
        """False where one is NaN."""
        return self.compare("OLT", other)

    def __gt__(self, other: Number | float) -> Number:
        """False where one is NaN."""
        return self.compare("OGT", other)

    def at_least(self, low: float) -> Number:
        """NaN stays: a comparison and a selection, which x86 has as one instruction."""
        return select(self < low, low, self)

    def at_most(self, high: float) -> Number:
        """NaN stays."""
        return select(self > high, high, self)

    def bits(self) -> Number:
        """The integer of the same width with the same bits."""
        width = element_type(self.type).width
        kind = with_element(self.type, ir.IntegerType.get_signless(width))
        return Number(arith.bitcast(kind, self.value))

    def as_float(self, kind: ir.Type) -> Number:
        """The float of type `kind`, of the same width, with the same bits."""
        return Number(arith.bitcast(kind, self.value))

    def to_float(self, kind: ir.Type) -> Number:
        """This integer, rounded."""
        return Number(arith.sitofp(kind, self.value))

    def to_integer(self) -> Number:
        """This f32, without its fraction, as i32. It must be in range, and not NaN."""
        kind = with_element(self.type, i32())
        return Number(arith.fptosi(kind, self.value))

    def widened(self) -> Number:
        """This f32 as f64."""
        return Number(arith.extf(with_element(self.type, ir.F64Type.get()), self.value))

    def narrowed(self) -> Number:
        """This f64 rounded to f32."""
        return Number(arith.truncf(with_element(self.type, ir.F32Type.get()), self.value))

    def shift_right_unsigned(self, other: Number | float) -> Number:
        return Number(arith.shrui(self.value, self._other(other)))

    def with_bits_flipped(self, mask: Number) -> Number:
        """This f32, but those bits flipped that are set in the integer `mask`."""
        return (self.bits() ^ mask).as_float(self.type)

    def with_sign_of(self, other: Number) -> Number:
        return Number(math.copysign(self.value, other.value))


def select(condition: Number, x: Number | float, y: Number | float) -> Number:
    """Where `condition` holds `x`, else `y`. One of them must be a Number."""
    like = x if isinstance(x, Number) else y
    assert isinstance(like, Number)
    return Number(arith.select(condition.value, like._other(x), like._other(y)))


def multiply_add(a: Number, b: Number | float, c: Number | float) -> Number:
    """a * b + c, one instruction with one rounding where the machine has it."""
    flag = arith.FastMathFlags.contract
    product = arith.mulf(a.value, a._other(b), fastmath=flag)
    return Number(arith.addf(product, a._other(c), fastmath=flag))


def horner(x: Number, coefficients: Sequence[float]) -> Number:
    """The polynomial with `coefficients`, lowest degree first, at `x`."""
    result = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = multiply_add(result, x, coefficient)
    return result


def square_root(x: Number) -> Number:
    return Number(math.sqrt(x.value))


def wide_product(a: Number, b: Number) -> tuple[Number, Number]:
    """The low and the high 32 bits of the product of two unsigned i32. What `arith.mului_extended` becomes,
    which has no lowering for vectors of several dims."""
    wide = with_element(a.type, i64())
    product = Number(arith.muli(*(arith.extui(wide, each.value) for each in (a, b))))
    high = product.shift_right_unsigned(32)
    return Number(arith.trunci(a.type, product.value)), Number(arith.trunci(a.type, high.value))
