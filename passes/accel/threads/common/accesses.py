"""Vectorised and predicated accesses of a thread: contiguous elements at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import arith, ir, llvm, scf
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common.packed_registers import build_vector

BYTE = 8


def stored_type(element: ir.Type) -> ir.Type:
    """Returns LLVM's type of an element in memory: signless integers of at least a byte, also for booleans
    and floats of 8 bits."""
    if isinstance(element, ir.IntegerType) or element.width == BYTE:
        return ir.IntegerType.get_signless(max(BYTE, element.width))
    return element


def load_run(element: ir.Type, pointer: ir.Value, run: int) -> list[ir.Value]:
    """Loads `run` elements from `pointer`, which is aligned to their size."""
    stored, size = stored_type(element), element_bytes(element)
    if run == 1:
        loaded = [llvm.LoadOp(stored, pointer, alignment=size).result]
    else:
        whole = llvm.LoadOp(ir.VectorType.get([run], stored), pointer, alignment=size * run).result
        loaded = [llvm.ExtractElementOp(whole, integers.value(part)).result for part in range(run)]
    is_boolean = isinstance(element, ir.IntegerType) and element.width == 1
    return [arith.TruncIOp(element, value).result if is_boolean else value for value in loaded]


def store_run(element: ir.Type, pointer: ir.Value, values: Sequence[ir.Value]) -> None:
    """Stores `values` from `pointer` on, which is aligned to their size."""
    stored = stored_type(element)
    parts = [value if value.type == stored else arith.ExtUIOp(stored, value).result for value in values]
    whole = parts[0] if len(parts) == 1 else build_vector(parts)
    llvm.StoreOp(whole, pointer, alignment=element_bytes(element) * len(parts))


def emit_if(conditions: Sequence[ir.Value], emit: Callable[[], None]) -> None:
    """Calls `emit` to emit code that runs if all conditions hold."""
    condition = integers.all_of(conditions)
    if condition is None:
        emit()
        return
    with ir.InsertionPoint(scf.IfOp(condition).then_block):
        emit()
        scf.YieldOp([])
