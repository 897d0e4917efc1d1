"""`mma.sync`, the instruction of tensor units that a warp executes together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, nvvm
from mlc.passes.accel.threads.common.packed_registers import packed, vector_of

# PTX's names of the types of operands.
_NAMES = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "i8": "s8", "ui8": "u8"}


@dataclass(frozen=True)
class Instruction:
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
        parts = [llvm.extractvalue(kind, made, [each]) for each in range(4)]
        return [arith.TruncFOp(self.sums, each).result for each in parts] if narrow else parts

    @property
    def _counts(self) -> bool:
        return isinstance(self.left, ir.IntegerType)

    def _words(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        if str(self.left) == "f32":
            return [rounded_to_tf32(each) for each in values]
        pack = 32 // values[0].type.width
        groups = [values[first : first + pack] for first in range(0, len(values), pack)]
        return [vector_of(each) if str(self.left) == "f16" else packed(each) for each in groups]


def rounded_to_tf32(value: ir.Value) -> ir.Value:
    """10 bits of mantissa, to nearest: the tensor units would cut the others off."""
    kind = ir.IntegerType.get_signless(32)
    mode = ir.Attribute.parse("#nvvm.fp_rnd_mode<rna>")
    return nvvm.ConvertFloatToTF32Op(value, rnd=mode, results=[kind]).operation.results[0]


def _attribute(kind: str, value: str) -> ir.Attribute:
    return ir.Attribute.parse(f"#nvvm.{kind}<{value}>")
