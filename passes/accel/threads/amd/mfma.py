"""The matrix instructions (MFMA) of CDNA GPUs with 16 rows and 16 columns, which a wavefront executes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, rocdl
from mlc.passes.accel.common import integers
from mlc.passes.accel.threads.common.packed_registers import build_vector
from mlc.passes.common.constants import i32

_TF32_HALF, _TF32_BITS = 1 << 12, -(1 << 13)


@dataclass(frozen=True)
class MfmaInstruction:
    """The op `name`: a lane supplies `pack` elements of each operand as type `operand`, and has 4
    accumulators of type `sums`. With `rounds`, operands are first rounded to tf32."""

    name: str
    pack: int
    operand: str
    sums: str
    rounds: bool = False

    def emit(self, a: ir.Value, b: ir.Value, sums: ir.Value) -> ir.Value:
        """Returns the new accumulators, a vector of 4."""
        word = i32()
        zero = ir.IntegerAttr.get(word, 0)
        # The attribute's meaning differs between f32 and f64.
        modifier = "mfma_neg_modifier" if self.sums == "f64" else "mfma_perm_b"
        plain = ir.Attribute.parse(f"#rocdl<{modifier} none>")
        attributes = {"cbsz": zero, "abid": zero, "blgp": plain}
        return ir.Operation.create(self.name, [sums.type], [a, b, sums], attributes).results[0]

    def pack_operand(self, values: Sequence[ir.Value]) -> ir.Value:
        """Returns a lane's `pack` elements of an operand in the type that the op takes."""
        if self.rounds:
            values = [_round_to_tf32(value) for value in values]
        whole = values[0] if self.pack == 1 else build_vector(values)
        operand = ir.Type.parse(self.operand)
        return whole if whole.type == operand else llvm.BitcastOp(operand, whole).result


def _round_to_tf32(value: ir.Value) -> ir.Value:
    """Rounds to 10 bits of mantissa, to nearest; NaN stays NaN."""
    word = i32()
    halfway = arith.AddIOp(arith.BitcastOp(word, value).result, integers.value(_TF32_HALF)).result
    cut = arith.AndIOp(halfway, integers.value(_TF32_BITS)).result
    is_nan = arith.cmpf(arith.CmpFPredicate.UNO, value, value)
    return arith.SelectOp(is_nan, value, arith.BitcastOp(value.type, cut).result).result


_F32 = (rocdl.MfmaF3216x16x4f32.NAME, 1, "f32", "f32")
_COMMON = {
    "f16": MfmaInstruction(rocdl.MfmaF3216x16x16f16.NAME, 4, "vector<4xf16>", "f32"),
    "bf16": MfmaInstruction(rocdl.MfmaF3216x16x16bf161k.NAME, 4, "vector<4xi16>", "f32"),
    "f32": MfmaInstruction(*_F32),
    "f64": MfmaInstruction(rocdl.MfmaF6416x16x4f64.NAME, 1, "f64", "f64"),
}
# Instructions by the operands' element type, or "tf32".
CDNA2 = {
    **_COMMON,
    "i8": MfmaInstruction(rocdl.MfmaI3216x16x16i8.NAME, 4, "i32", "i32"),
    "tf32": MfmaInstruction(*_F32, rounds=True),
}
CDNA3 = {
    **_COMMON,
    "i8": MfmaInstruction(rocdl.MfmaI3216x16x32I8.NAME, 8, "i64", "i32"),
    "tf32": MfmaInstruction(rocdl.MfmaF3216x16x8Xf32.NAME, 2, "vector<2xf32>", "f32", rounds=True),
}
