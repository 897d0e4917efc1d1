"""`wgmma`: 64 rows of sums and 32 bytes of the reduction, by a group of 4 warps, asynchronously.

Descriptors by which `wgmma` finds an operand in shared memory.

Source: NVIDIA's PTX documentation, "Matrix Descriptor Format".

The order that ptxas keeps between what threads compute and their waits for products.

It moves arithmetic and exchanges between lanes behind such a wait, where they no longer overlap with the
products; but no stores to shared memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from mlc.bindings import arith, ir, llvm, nvvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.matrix_layouts import DEPTH_BYTES
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.common.tensor_maps import SWIZZLED_ROWS
from mlc.passes.accel.common.warpgroups import WgmmaOperand
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.common.constants import i32, i64, integer_constant

# A place in shared memory for each thread, which nobody reads.
_BYTES = 4

_KEY = "order"


def reserve(code: ThreadCode) -> None:
    """Before code is emitted."""
    code.reserved_offsets[_KEY] = code.shared.reserve(code.threads * _BYTES)


def store(code: ThreadCode, values: Sequence[ir.Value]) -> None:
    """Has numbers of f32 computed before what follows."""
    if any(not isinstance(value.type, ir.F32Type) for value in values):
        return
    total = reduce(lambda a, b: arith.AddFOp(a, b).result, values)
    start = pointers.byte_pointer(code.shared_pointer(), code.reserved_offsets[_KEY])
    place = pointers.byte_pointer(start, integers.multiply(code.thread_id(), _BYTES))
    address = llvm.ptrtoint(i32(), place)
    text = "st.volatile.shared.f32 [$0], $1;"
    llvm.inline_asm(None, [address, total], text, "r,f,~{memory}", has_side_effects=True)


# Descriptors count in units of 16 bytes, and have a code for each swizzle.
_UNIT_BITS, _ADDRESS_BITS = 4, 14

_SWIZZLE_CODES = {128: 1, 64: 2, 32: 3}


@dataclass(frozen=True)
class Described:
    """An operand in shared memory: `start` describes the group's part; its rows of `swizzle` bytes lie in
    panels of `lines` of them."""

    factor: WgmmaOperand
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


def describe(code: ThreadCode, factor: WgmmaOperand, place: Integer) -> Described:
    """What the group reads, which begins at row or column `place` of the sums: of a flipped matrix the panels
    from there on, of others the rows."""
    memory = code.memory(factor.value)
    lines, swizzle = memory.sizes[0], memory.swizzle
    assert isinstance(lines, int), "buffers have static shapes"
    pitch = factor.size * lines if factor.flipped else swizzle
    pointer = pointers.byte_pointer(memory.pointer, integers.multiply(place, pitch))
    address = llvm.ptrtoint(i32(), pointer)
    units = integers.mask(integers.shift_right(address, _UNIT_BITS), (1 << _ADDRESS_BITS) - 1)
    low = arith.ExtUIOp(i64(), integers.value(units)).result
    # Between panels, and between groups of 8 rows.
    leading, stride = (lines * swizzle if factor.flipped else 1 << _UNIT_BITS), SWIZZLED_ROWS * swizzle
    fixed = _SWIZZLE_CODES[swizzle] << 62 | stride >> _UNIT_BITS << 32 | leading >> _UNIT_BITS << 16
    start = arith.OrIOp(low, _i64(fixed)).result
    return Described(factor, start, swizzle, lines)


def _i64(bits: int) -> ir.Value:
    kind = i64()
    signed = bits - (1 << 64) if bits >> 63 else bits
    return integer_constant(kind, signed)


MOST_COLUMNS = 256
# PTX's names of the types of operands, and of their sums.
_NAMES = {
    "f16": "f16",
    "bf16": "bf16",
    "f32": "tf32",
    "i8": "s8",
    "ui8": "u8",
    "f8E4M3FN": "e4m3",
    "f8E5M2": "e5m2",
}
_SUMS = {"f32": "f32", "i32": "s32"}
# What a register of these is to inline PTX.
_CONSTRAINTS = {"f32": "f", "i32": "r"}


@dataclass(frozen=True)
class WgmmaInstruction:
    """m64 with `columns`, for operands and sums of these types; `left_flipped` and `right_flipped` say that
    the reduction is not the inner dim of what lies in shared memory."""

    left: ir.Type
    right: ir.Type
    sums: ir.Type
    columns: int
    left_flipped: bool
    right_flipped: bool

    @property
    def depth(self) -> int:
        """Steps of the reduction."""
        return DEPTH_BYTES // element_bytes(self.left)

    def emit(self, sums: ir.Value | None, left: ir.Value | Sequence[ir.Value], right: ir.Value) -> ir.Value:
        """Starts a product, and returns the struct of registers that will hold `sums`, or zeros, and what is
        added to them. `left` is a descriptor, or four registers of 32 bits; `right` a descriptor."""
        adds = sums is not None
        if sums is None:
            sums = llvm.UndefOp(_struct([self.sums] * (self.columns // 2))).result
        if isinstance(left, ir.Value):
            return self._from_memory(sums, adds, left, right)
        return self._from_registers(sums, adds, left, right)

    def _from_memory(self, sums: ir.Value, adds: bool, left: ir.Value, right: ir.Value) -> ir.Value:
        one = _attribute("wgmma_scale_in", "one")
        return nvvm.wgmma_mma_async(
            sums.type,
            sums,
            left,
            right,
            ir.Attribute.parse(f"#nvvm.shape<m = 64, n = {self.columns}, k = {self.depth}>"),
            _attribute("wgmma_type", _NAMES[str(self.left)]),
            _attribute("wgmma_type", _NAMES[str(self.right)]),
            _attribute("wgmma_type", _SUMS[str(self.sums)]),
            _attribute("wgmma_scale_out", "one" if adds else "zero"),
            one,
            one,
            _attribute("mma_layout", "col" if self.left_flipped else "row"),
            _attribute("mma_layout", "row" if self.right_flipped else "col"),
        )

    def _from_registers(
        self, sums: ir.Value, adds: bool, left: Sequence[ir.Value], right: ir.Value
    ) -> ir.Value:
        """By inline PTX: nvvm has no op for it."""
        registers = unpack_struct(sums, [self.sums] * (self.columns // 2))
        count, words = len(registers), len(left)
        results = ",".join(f"${index}" for index in range(count))
        factors = ",".join(f"${2 * count + index}" for index in range(words))
        name = f"m64n{self.columns}k{self.depth}.{_SUMS[str(self.sums)]}"
        name += f".{_NAMES[str(self.left)]}.{_NAMES[str(self.right)]}"
        text = (
            f"{{ .reg .pred p; setp.ne.b32 p, ${2 * count + words + 1}, 0; "
            f"wgmma.mma_async.sync.aligned.{name} {{{results}}}, {{{factors}}}, ${2 * count + words}, p"
            f"{self._flags()}; }}"
        )
        constraints = ",".join([*_tied(registers), *["r"] * words, "l", "n"])
        operands = [*registers, *left, right, integers.value(int(adds))]
        return llvm.inline_asm(sums.type, operands, text, constraints, has_side_effects=True)

    def _flags(self) -> str:
        """Factors of 1, which integers have not, and whether the right operand is flipped, which only numbers
        of 16 bits can be."""
        if isinstance(self.left, ir.IntegerType):
            return ""
        return f", 1, 1, {int(self.right_flipped)}" if element_bytes(self.left) == 2 else ", 1, 1"


def wait(pending: int, written: Sequence[ir.Value], read: Sequence[ir.Value] = ()) -> list[ir.Value]:
    """Waits until at most `pending` groups of products are under way. Registers that the others have written
    go through the instruction, so that LLVM cannot move their uses before it; those that they `read` are
    operands, so that nothing else is in them before."""
    text = f"wgmma.wait_group.sync.aligned {pending};"
    constraints = ",".join([*_tied(written), *(_CONSTRAINTS[str(each.type)] for each in read)])
    kinds = [each.type for each in written]
    operands = [*written, *read]
    made = llvm.inline_asm(_struct(kinds), operands, text, constraints, has_side_effects=True)
    return unpack_struct(made, kinds)


def _tied(registers: Sequence[ir.Value]) -> list[str]:
    """Constraints of outputs, and of inputs in the same registers."""
    outputs = [f"={_CONSTRAINTS[str(register.type)]}" for register in registers]
    return [*outputs, *map(str, range(len(registers)))]


def _struct(kinds: Sequence[ir.Type]) -> ir.Type:
    return ir.Type.parse(f"!llvm.struct<({', '.join(map(str, kinds))})>")


def pack_struct(values: Sequence[ir.Value]) -> ir.Value:
    """A struct."""
    whole = llvm.UndefOp(_struct([value.type for value in values])).result
    for place, each in enumerate(values):
        whole = llvm.insertvalue(whole, each, [place])
    return whole


def unpack_struct(whole: ir.Value, kinds: Sequence[ir.Type]) -> list[ir.Value]:
    """The parts of a struct."""
    return [llvm.extractvalue(kind, whole, [place]) for place, kind in enumerate(kinds)]


def _attribute(kind: str, value: str) -> ir.Attribute:
    return ir.Attribute.parse(f"#nvvm.{kind}<{value}>")
