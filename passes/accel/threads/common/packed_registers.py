"""Registers of 32 bits that hold several numbers."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.common.constants import i32


def build_vector(values: Sequence[ir.Value]) -> ir.Value:
    """An LLVM vector."""
    whole = llvm.UndefOp(ir.VectorType.get([len(values)], values[0].type)).result
    for place, each in enumerate(values):
        whole = llvm.InsertElementOp(whole, each, integers.value(place)).result
    return whole


def pack_word(values: Sequence[ir.Value]) -> ir.Value:
    """32 bits, the first number in the lowest ones."""
    if len(values) == 1:
        return arith.BitcastOp(i32(), values[0]).result
    return llvm.BitcastOp(i32(), build_vector(values)).result


def unpack_word(word: ir.Value, kind: ir.Type) -> list[ir.Value]:
    """The numbers of type `kind` in 32 bits."""
    count = 32 // kind.width
    if count == 1:
        return [arith.BitcastOp(kind, word).result]
    whole = llvm.BitcastOp(ir.VectorType.get([count], kind), word).result
    return [llvm.ExtractElementOp(whole, integers.value(index)).result for index in range(count)]
