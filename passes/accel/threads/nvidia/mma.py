"""`accel.mma` with `mma.sync`, the instruction of the tensor cores that a warp executes together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, nvvm
from mlc.dialects import accel
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.matrix_layouts import (
    COLUMNS,
    DEPTH_BYTES,
    REGISTER_BYTES,
    ROWS,
    accumulators,
    grid_of,
    left_operand,
    right_operand,
    warp_grid,
)
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common.code import ThreadTile
from mlc.passes.accel.threads.common.operands import MmaOperand
from mlc.passes.accel.threads.common.packed_registers import build_vector, pack_word
from mlc.passes.accel.threads.common.small_floats import as_multiplied, multiplied_type
from mlc.passes.common.constants import i32

_MULTIPLIED = ("f16", "bf16", "i8", "f8E4M3FN", "f8E5M2")


def uses_tensor_cores(op: ir.Operation) -> bool:
    """Whether `mma.sync` supports the types of an `accel.mma`, and its tiles are large enough."""
    view = accel.Mma(op)
    a, (rows, columns) = view.a.type, view.result.type.shape
    element = str(a.element_type)
    known = element in _MULTIPLIED or view.precision == "tf32"
    depth = a.shape[not view.transpose_a]
    steps = DEPTH_BYTES // element_bytes(multiplied_type(a.element_type))
    return known and depth % steps == 0 and rows >= ROWS and columns >= COLUMNS


@dataclass(frozen=True)
class WarpMma:
    """An `accel.mma` in instructions of 16 rows by 8 columns and 32 bytes of the reduction."""

    op: ir.Operation

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        """Returns the layout of the accumulator, `[rows, columns]`, of which each warp has a part."""
        rows, columns = accel.Mma(self.op).result.type.shape
        grid = warp_grid(rows, columns, warps, ROWS, COLUMNS, whole_rows=whole_rows)
        return accumulators(rows, columns, grid)

    def left_layout(self, accumulator: Layout) -> Layout:
        """Returns the layout in registers of the left operand, `[rows, depth]`."""
        a = accel.Mma(self.op).a.type
        rows, depth = a.shape
        return left_operand(rows, depth, grid_of(accumulator), element_bytes(multiplied_type(a.element_type)))

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        """Emits `mma.sync` instructions; returns `start` plus the product, in the layout of `start`."""
        layout, sums = start.layout, list(start.values)
        x, y = multiplied_type(left.element), multiplied_type(right.element)
        size, grid = element_bytes(x), grid_of(layout)
        steps, pack = DEPTH_BYTES // size, REGISTER_BYTES // size
        rows, columns = layout.shape[0] // grid.down, layout.shape[1] // grid.across
        instruction = MmaInstruction(x, y, start.values[0].type, steps)
        for first in range(0, left.depth, steps):
            a = left.part(left_operand(layout.shape[0], steps, grid, size), first)
            b = right.part(right_operand(steps, layout.shape[1], grid, size), first)
            a, b = as_multiplied(a, left.element), as_multiplied(b, right.element)
            for down, across in itertools.product(range(rows // ROWS), range(columns // COLUMNS)):
                registers = [
                    layout.register_at((down * ROWS + row, across * COLUMNS + column))
                    for row in (0, 8)
                    for column in (0, 1)
                ]
                made = instruction.emit(
                    _fragment(a, down, 4 * pack),
                    _fragment(b, across, 2 * pack),
                    [sums[register] for register in registers],
                )
                for register, value in zip(registers, made, strict=True):
                    sums[register] = value
        return ThreadTile(layout, tuple(sums))


def _fragment(tile: ThreadTile, index: int, count: int) -> Sequence[ir.Value]:
    """Returns an operand's registers for the instruction at `index`: `count` consecutive ones."""
    return tile.values[index * count : (index + 1) * count]


# PTX's names of the types of operands.
_NAMES = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "i8": "s8", "ui8": "u8"}


@dataclass(frozen=True)
class MmaInstruction:
    """The instruction of shape m16n8 with `depth` steps of the reduction, for these types."""

    left: ir.Type
    right: ir.Type
    sums: ir.Type
    depth: int

    def emit(
        self, left: Sequence[ir.Value], right: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Returns a lane's four new accumulators. Those of f16 are added in f32, then rounded."""
        narrow = str(self.sums) == "f16"
        element = ir.F32Type.get() if narrow else self.sums
        start = [arith.ExtFOp(element, value).result for value in sums] if narrow else list(sums)
        struct = ir.Type.parse(f"!llvm.struct<({', '.join([str(element)] * 4)})>")
        made = nvvm.MmaOp(
            struct,
            ir.Attribute.parse(f"#nvvm.shape<m = 16, n = 8, k = {self.depth}>"),
            nvvm_attribute("mma_layout", "row"),
            nvvm_attribute("mma_layout", "col"),
            self._words(left),
            self._words(right),
            start,
            multiplicandAPtxType=nvvm_attribute("mma_type", _NAMES[str(self.left)]),
            multiplicandBPtxType=nvvm_attribute("mma_type", _NAMES[str(self.right)]),
            intOverflowBehavior=nvvm_attribute("mma_int_overflow", "wrapped")
            if isinstance(self.left, ir.IntegerType)
            else None,
        ).operation.results[0]
        parts = [llvm.extractvalue(element, made, [index]) for index in range(4)]
        return [arith.TruncFOp(self.sums, part).result for part in parts] if narrow else parts

    def _words(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        if str(self.left) == "f32":
            return [round_to_tf32(value) for value in values]
        pack = 32 // values[0].type.width
        groups = [values[first : first + pack] for first in range(0, len(values), pack)]
        return [build_vector(group) if str(self.left) == "f16" else pack_word(group) for group in groups]


def round_to_tf32(value: ir.Value) -> ir.Value:
    """Rounds an f32 to 10 bits of mantissa, to nearest: the tensor cores would truncate it."""
    mode = ir.Attribute.parse("#nvvm.fp_rnd_mode<rna>")
    return nvvm.ConvertFloatToTF32Op(value, rnd=mode, results=[i32()]).operation.results[0]


def nvvm_attribute(name: str, value: str) -> ir.Attribute:
    """Parses the attribute `#nvvm.name<value>`."""
    return ir.Attribute.parse(f"#nvvm.{name}<{value}>")
