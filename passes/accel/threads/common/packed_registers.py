"""Registers of 32 bits that hold several elements."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.common.constants import i32


def build_vector(values: Sequence[ir.Value]) -> ir.Value:
    """Returns an LLVM vector of `values`."""
    whole = llvm.UndefOp(ir.VectorType.get([len(values)], values[0].type)).result
    for index, value in enumerate(values):
        whole = llvm.InsertElementOp(whole, value, integers.value(index)).result
    return whole


def pack_word(values: Sequence[ir.Value]) -> ir.Value:
    """Returns `values` as an i32, the first one in the lowest bits."""
    if len(values) == 1:
        return arith.BitcastOp(i32(), values[0]).result
    return llvm.BitcastOp(i32(), build_vector(values)).result


def unpack_word(word: ir.Value, element: ir.Type) -> list[ir.Value]:
    """Returns the elements of type `element` in 32 bits."""
    count = 32 // element.width
    if count == 1:
        return [arith.BitcastOp(element, word).result]
    whole = llvm.BitcastOp(ir.VectorType.get([count], element), word).result
    return [llvm.ExtractElementOp(whole, integers.value(index)).result for index in range(count)]
