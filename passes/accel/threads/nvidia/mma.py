"""`mma.sync`, the instruction of tensor units that a warp executes together.

Products of tiles by `mma.sync`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, nvvm
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
    """Whether an `accel.mma` is computed by `mma.sync`: by its types, and if it is large enough."""
    a, (rows, columns) = op.operands[0].type, op.results[0].type.shape
    element = str(a.element_type)
    known = element in _MULTIPLIED or op.attributes["precision"].value == "tf32"
    depth = a.shape["transpose_a" not in op.attributes]
    steps = DEPTH_BYTES // element_bytes(multiplied_type(a.element_type))
    return known and depth % steps == 0 and rows >= ROWS and columns >= COLUMNS


@dataclass(frozen=True)
class WarpMma:
    """16 rows by 8 columns and 32 bytes of the reduction at a time."""

    op: ir.Operation

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        rows, columns = self.op.results[0].type.shape
        grid = warp_grid(rows, columns, warps, ROWS, COLUMNS, whole_rows=whole_rows)
        return accumulators(rows, columns, grid)

    def left_layout(self, sums: Layout) -> Layout:
        kind = self.op.operands[0].type
        rows, depth = kind.shape
        return left_operand(rows, depth, grid_of(sums), element_bytes(multiplied_type(kind.element_type)))

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        layout, sums = start.layout, list(start.values)
        x, y = (multiplied_type(each.element) for each in (left, right))
        size, grid = element_bytes(x), grid_of(layout)
        steps, pack = DEPTH_BYTES // size, REGISTER_BYTES // size
        rows, columns = layout.shape[0] // grid.down, layout.shape[1] // grid.across
        instruction = MmaInstruction(x, y, start.values[0].type, steps)
        for first in range(0, left.depth, steps):
            a = left.part(left_operand(layout.shape[0], steps, grid, size), first)
            b = right.part(right_operand(steps, layout.shape[1], grid, size), first)
            a, b = as_multiplied(a, left.element), as_multiplied(b, right.element)
            for down, across in itertools.product(range(rows // ROWS), range(columns // COLUMNS)):
                at = [
                    layout.register_at((down * ROWS + row, across * COLUMNS + column))
                    for row in (0, 8)
                    for column in (0, 1)
                ]
                made = instruction.emit(
                    _fragment(a, down, 4 * pack), _fragment(b, across, 2 * pack), [sums[each] for each in at]
                )
                for register, value in zip(at, made, strict=True):
                    sums[register] = value
        return ThreadTile(layout, tuple(sums))


def _fragment(tile: ThreadTile, number: int, count: int) -> Sequence[ir.Value]:
    """What an instruction takes of an operand: registers that follow each other."""
    return tile.values[number * count : (number + 1) * count]


# PTX's names of the types of operands.
_NAMES = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "i8": "s8", "ui8": "u8"}


@dataclass(frozen=True)
class MmaInstruction:
    """m16n8 with `depth` steps of the reduction, for operands and sums of these types."""

    left: ir.Type
    right: ir.Type
    sums: ir.Type
    depth: int

    def emit(
        self, left: Sequence[ir.Value], right: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The four new sums of each lane. Sums of f16 are added in f32, and rounded afterwards."""
        narrow = str(self.sums) == "f16"
        kind = ir.F32Type.get() if narrow else self.sums
        given = [arith.ExtFOp(kind, each).result for each in sums] if narrow else list(sums)
        struct = ir.Type.parse(f"!llvm.struct<({', '.join([str(kind)] * 4)})>")
        made = nvvm.MmaOp(
            struct,
            ir.Attribute.parse(f"#nvvm.shape<m = 16, n = 8, k = {self.depth}>"),
            _attribute("mma_layout", "row"),
            _attribute("mma_layout", "col"),
            self._words(left),
            self._words(right),
            given,
            multiplicandAPtxType=_attribute("mma_type", _NAMES[str(self.left)]),
            multiplicandBPtxType=_attribute("mma_type", _NAMES[str(self.right)]),
            intOverflowBehavior=_attribute("mma_int_overflow", "wrapped") if self._counts else None,
        ).operation.results[0]
        parts = [llvm.extractvalue(kind, made, [index]) for index in range(4)]
        return [arith.TruncFOp(self.sums, part).result for part in parts] if narrow else parts

    @property
    def _counts(self) -> bool:
        return isinstance(self.left, ir.IntegerType)

    def _words(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        if str(self.left) == "f32":
            return [round_to_tf32(value) for value in values]
        pack = 32 // values[0].type.width
        groups = [values[first : first + pack] for first in range(0, len(values), pack)]
        return [build_vector(group) if str(self.left) == "f16" else pack_word(group) for group in groups]


def round_to_tf32(value: ir.Value) -> ir.Value:
    """10 bits of mantissa, to nearest: the tensor units would cut the others off."""
    kind = i32()
    mode = ir.Attribute.parse("#nvvm.fp_rnd_mode<rna>")
    return nvvm.ConvertFloatToTF32Op(value, rnd=mode, results=[kind]).operation.results[0]


def _attribute(kind: str, value: str) -> ir.Attribute:
    return ir.Attribute.parse(f"#nvvm.{kind}<{value}>")
