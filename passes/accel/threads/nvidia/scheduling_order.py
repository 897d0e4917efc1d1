"""The order that ptxas keeps between what threads compute and their waits for products.

It moves arithmetic and exchanges between lanes behind such a wait, where they no longer overlap with the
products; but no stores to shared memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from mlc.bindings import arith, ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode

# A place in shared memory for each thread, which nobody reads.
_BYTES = 4
_KEY = "order"


def reserve(code: ThreadCode) -> None:
    """Before code is emitted."""
    code.places[_KEY] = code.shared.reserve(code.threads * _BYTES)


def store(code: ThreadCode, values: Sequence[ir.Value]) -> None:
    """Has numbers of f32 computed before what follows."""
    if any(not isinstance(each.type, ir.F32Type) for each in values):
        return
    total = reduce(lambda a, b: arith.AddFOp(a, b).result, values)
    start = pointers.byte_pointer(code.shared_pointer(), code.places[_KEY])
    place = pointers.byte_pointer(start, integers.multiply(code.thread(), _BYTES))
    address = llvm.ptrtoint(integers.i32(), place)
    text = "st.volatile.shared.f32 [$0], $1;"
    llvm.inline_asm(None, [address, total], text, "r,f,~{memory}", has_side_effects=True)
