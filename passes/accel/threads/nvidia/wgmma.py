"""`wgmma`: asynchronous mma of a warp group, 64 rows of results and 32 bytes of the reduction at a time.

Operands in shared memory have matrix descriptors. `store` keeps computation before waits: ptxas moves
arithmetic and shuffles after a wait, where they no longer overlap with the mma, but not stores to shared
memory.

Source: NVIDIA's PTX documentation, "Matrix Descriptor Format".
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
from mlc.passes.accel.threads.nvidia.mma import nvvm_attribute
from mlc.passes.common.constants import i32, i64, integer_constant

# A dummy word in shared memory for each thread, which is never read.
_BYTES = 4

_KEY = "order"


def reserve(code: ThreadCode) -> None:
    """Reserves the shared memory that `store` writes; called before code is emitted."""
    code.reserved_offsets[_KEY] = code.shared.reserve(code.threads * _BYTES)


def store(code: ThreadCode, values: Sequence[ir.Value]) -> None:
    """Makes ptxas compute the f32 `values` before what follows: their sum is stored. Others are ignored."""
    if any(not isinstance(value.type, ir.F32Type) for value in values):
        return
    total = reduce(lambda a, b: arith.AddFOp(a, b).result, values)
    start = pointers.byte_pointer(code.shared_pointer(), code.reserved_offsets[_KEY])
    word = pointers.byte_pointer(start, integers.multiply(code.thread_id(), _BYTES))
    address = llvm.ptrtoint(i32(), word)
    text = "st.volatile.shared.f32 [$0], $1;"
    llvm.inline_asm(None, [address, total], text, "r,f,~{memory}", has_side_effects=True)


# Descriptors have offsets in units of 16 bytes, and a code for each swizzle.
_UNIT_BITS, _ADDRESS_BITS = 4, 14

_SWIZZLE_CODES = {128: 1, 64: 2, 32: 3}


@dataclass(frozen=True)
class SharedOperand:
    """An operand in shared memory: `start` is the descriptor of the warp group's part; panels have `lines`
    rows of `swizzle` bytes."""

    factor: WgmmaOperand
    start: ir.Value
    swizzle: int
    lines: int

    def at(self, index: int, step: int) -> ir.Value:
        """Returns the descriptor for row or column `index` of the result and `step` of the reduction."""
        size = self.factor.size
        if self.factor.flipped:
            offset = index * size * self.lines + step * self.swizzle
        else:
            panel, inner = divmod(step * size, self.swizzle)
            offset = panel * self.lines * self.swizzle + index * self.swizzle + inner
        if not offset:
            return self.start
        return arith.AddIOp(self.start, _i64(offset >> _UNIT_BITS)).result


def shared_operand(code: ThreadCode, factor: WgmmaOperand, index: Integer) -> SharedOperand:
    """Returns the part of an operand that the warp group reads, from row or column `index` of the result on:
    the panels of a flipped matrix, the rows of another."""
    memory = code.memory(factor.value)
    lines, swizzle = memory.sizes[0], memory.swizzle
    assert isinstance(lines, int), "buffers have static shapes"
    pitch = factor.size * lines if factor.flipped else swizzle
    pointer = pointers.byte_pointer(memory.pointer, integers.multiply(index, pitch))
    address = llvm.ptrtoint(i32(), pointer)
    units = integers.mask(integers.shift_right(address, _UNIT_BITS), (1 << _ADDRESS_BITS) - 1)
    low = arith.ExtUIOp(i64(), integers.value(units)).result
    # The distances between panels, and between groups of 8 rows.
    leading, stride = (lines * swizzle if factor.flipped else 1 << _UNIT_BITS), SWIZZLED_ROWS * swizzle
    fixed = _SWIZZLE_CODES[swizzle] << 62 | stride >> _UNIT_BITS << 32 | leading >> _UNIT_BITS << 16
    start = arith.OrIOp(low, _i64(fixed)).result
    return SharedOperand(factor, start, swizzle, lines)


def _i64(bits: int) -> ir.Value:
    return integer_constant(i64(), bits - (1 << 64) if bits >> 63 else bits)


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
# The constraints of registers of these types in inline PTX.
_CONSTRAINTS = {"f32": "f", "i32": "r"}


@dataclass(frozen=True)
class WgmmaInstruction:
    """The instruction of shape m64 with `columns` columns, for operands and results of these types.
    `left_flipped`, `right_flipped`: the reduction is not the inner dim of the operand in shared memory."""

    left: ir.Type
    right: ir.Type
    sums: ir.Type
    columns: int
    left_flipped: bool
    right_flipped: bool

    @property
    def depth(self) -> int:
        """Steps of the reduction per instruction."""
        return DEPTH_BYTES // element_bytes(self.left)

    def emit(self, sums: ir.Value | None, left: ir.Value | Sequence[ir.Value], right: ir.Value) -> ir.Value:
        """Starts the instruction and returns the struct of registers that will hold `sums`, or zeros, plus
        the product. `left` is a descriptor or four registers of 32 bits; `right` a descriptor."""
        adds = sums is not None
        if sums is None:
            sums = llvm.UndefOp(_struct([self.sums] * (self.columns // 2))).result
        if isinstance(left, ir.Value):
            return self._from_memory(sums, adds, left, right)
        return self._from_registers(sums, adds, left, right)

    def _from_memory(self, sums: ir.Value, adds: bool, left: ir.Value, right: ir.Value) -> ir.Value:
        one = nvvm_attribute("wgmma_scale_in", "one")
        return nvvm.wgmma_mma_async(
            sums.type,
            sums,
            left,
            right,
            ir.Attribute.parse(f"#nvvm.shape<m = 64, n = {self.columns}, k = {self.depth}>"),
            nvvm_attribute("wgmma_type", _NAMES[str(self.left)]),
            nvvm_attribute("wgmma_type", _NAMES[str(self.right)]),
            nvvm_attribute("wgmma_type", _SUMS[str(self.sums)]),
            nvvm_attribute("wgmma_scale_out", "one" if adds else "zero"),
            one,
            one,
            nvvm_attribute("mma_layout", "col" if self.left_flipped else "row"),
            nvvm_attribute("mma_layout", "row" if self.right_flipped else "col"),
        )

    def _from_registers(
        self, sums: ir.Value, adds: bool, left: Sequence[ir.Value], right: ir.Value
    ) -> ir.Value:
        """Emits inline PTX: nvvm has no op with a left operand in registers."""
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
        constraints = ",".join([*_tied_constraints(registers), *["r"] * words, "l", "n"])
        operands = [*registers, *left, right, integers.value(int(adds))]
        return llvm.inline_asm(sums.type, operands, text, constraints, has_side_effects=True)

    def _flags(self) -> str:
        """Returns the scale factors, 1, which integers lack, and whether the right operand is flipped, an
        option of types of 16 bits."""
        if isinstance(self.left, ir.IntegerType):
            return ""
        return f", 1, 1, {int(self.right_flipped)}" if element_bytes(self.left) == 2 else ", 1, 1"


def wait(pending: int, written: Sequence[ir.Value], read: Sequence[ir.Value] = ()) -> list[ir.Value]:
    """Waits until at most `pending` groups of mma are in flight. Returns the registers `written` by the
    others: they pass through the instruction, so that LLVM cannot move their uses before it. `read` are
    operands, so that LLVM does not reuse their registers before it."""
    text = f"wgmma.wait_group.sync.aligned {pending};"
    constraints = ",".join(
        [*_tied_constraints(written), *(_CONSTRAINTS[str(register.type)] for register in read)]
    )
    types = [register.type for register in written]
    operands = [*written, *read]
    made = llvm.inline_asm(_struct(types), operands, text, constraints, has_side_effects=True)
    return unpack_struct(made, types)


def _tied_constraints(registers: Sequence[ir.Value]) -> list[str]:
    """Returns the constraints of outputs, and of inputs in the same registers."""
    outputs = [f"={_CONSTRAINTS[str(register.type)]}" for register in registers]
    return [*outputs, *map(str, range(len(registers)))]


def _struct(types: Sequence[ir.Type]) -> ir.Type:
    return ir.Type.parse(f"!llvm.struct<({', '.join(map(str, types))})>")


def pack_struct(values: Sequence[ir.Value]) -> ir.Value:
    """Returns an LLVM struct of `values`."""
    whole = llvm.UndefOp(_struct([value.type for value in values])).result
    for index, value in enumerate(values):
        whole = llvm.insertvalue(whole, value, [index])
    return whole


def unpack_struct(whole: ir.Value, types: Sequence[ir.Type]) -> list[ir.Value]:
    """Returns the fields of an LLVM struct, which have these types."""
    return [llvm.extractvalue(type_, whole, [index]) for index, type_ in enumerate(types)]
