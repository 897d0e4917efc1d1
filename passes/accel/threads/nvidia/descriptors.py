"""Descriptors by which `wgmma` finds an operand in shared memory.

Source: NVIDIA's PTX documentation, "Matrix Descriptor Format".
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Number
from mlc.passes.accel.common.tensor_maps import SWIZZLED_ROWS
from mlc.passes.accel.common.warpgroups import Factor
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode

# Descriptors count in units of 16 bytes, and have a code for each swizzle.
_UNIT_BITS, _ADDRESS_BITS = 4, 14
_SWIZZLE_CODES = {128: 1, 64: 2, 32: 3}


@dataclass(frozen=True)
class Described:
    """An operand in shared memory: `start` describes the group's part; its rows of `swizzle` bytes lie in
    panels of `lines` of them."""

    factor: Factor
    start: ir.Value
    swizzle: int
    lines: int

    def at(self, place: int, step: int) -> ir.Value:
        """Describes what begins at row or column `place` of the sums, and at `step` of the reduction."""
        size = self.factor.size
        if self.factor.flipped:
            offset = place * size * self.lines + step * self.swizzle
        else:
            panel, inner = divmod(step * size, self.swizzle)
            offset = panel * self.lines * self.swizzle + place * self.swizzle + inner
        if not offset:
            return self.start
        return arith.AddIOp(self.start, _i64(offset >> _UNIT_BITS)).result


def describe(code: ThreadCode, factor: Factor, place: Number) -> Described:
    """What the group reads, which begins at row or column `place` of the sums: of a flipped matrix the panels
    from there on, of others the rows."""
    memory = code.memory(factor.value)
    lines, swizzle = memory.sizes[0], memory.swizzle
    assert isinstance(lines, int), "buffers have static shapes"
    pitch = factor.size * lines if factor.flipped else swizzle
    pointer = pointers.byte_pointer(memory.pointer, integers.multiply(place, pitch))
    address = llvm.ptrtoint(integers.i32(), pointer)
    units = integers.mask(integers.shift_right(address, _UNIT_BITS), (1 << _ADDRESS_BITS) - 1)
    low = arith.ExtUIOp(ir.IntegerType.get_signless(64), integers.value(units)).result
    # Between panels, and between groups of 8 rows.
    leading, stride = (lines * swizzle if factor.flipped else 1 << _UNIT_BITS), SWIZZLED_ROWS * swizzle
    fixed = _SWIZZLE_CODES[swizzle] << 62 | stride >> _UNIT_BITS << 32 | leading >> _UNIT_BITS << 16
    start = arith.OrIOp(low, _i64(fixed)).result
    return Described(factor, start, swizzle, lines)


def _i64(bits: int) -> ir.Value:
    kind = ir.IntegerType.get_signless(64)
    signed = bits - (1 << 64) if bits >> 63 else bits
    return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, signed)).result
