"""Loads and stores of a thread: elements that lie side by side, at once."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.shared_memory import element_bytes

BYTE = 8


def stored_type(kind: ir.Type) -> ir.Type:
    """As LLVM knows it: truth values lie in bytes, integers have no sign, and floats of 8 bits are such."""
    if isinstance(kind, ir.IntegerType) or kind.width == BYTE:
        return ir.IntegerType.get_signless(max(BYTE, kind.width))
    return kind


def load_run(element: ir.Type, pointer: ir.Value, run: int) -> list[ir.Value]:
    """`run` elements from `pointer` on, which they divide in bytes."""
    kind, size = stored_type(element), element_bytes(element)
    if run == 1:
        loaded = [llvm.LoadOp(kind, pointer, alignment=size).result]
    else:
        whole = llvm.LoadOp(ir.VectorType.get([run], kind), pointer, alignment=size * run).result
        loaded = [llvm.ExtractElementOp(whole, integers.value(part)).result for part in range(run)]
    return [arith.TruncIOp(element, each).result if _is_truth(element) else each for each in loaded]


def _is_truth(kind: ir.Type) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.width == 1


def store_run(element: ir.Type, pointer: ir.Value, values: Sequence[ir.Value]) -> None:
    """Writes `values` from `pointer` on, which they divide in bytes."""
    kind = stored_type(element)
    stored = [value if value.type == kind else arith.ExtUIOp(kind, value).result for value in values]
    whole = stored[0]
    if len(stored) > 1:
        whole = llvm.UndefOp(ir.VectorType.get([len(stored)], kind)).result
        for part, each in enumerate(stored):
            whole = llvm.InsertElementOp(whole, each, integers.value(part)).result
    llvm.StoreOp(whole, pointer, alignment=element_bytes(element) * len(stored))
