"""A program for any sizes, and programs for single ones whose results tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from objects import TARGET, compile_ir, pointers

from mlc.runtime import Executable, Specialise
from mlc.runtime.specialisation_policy import Parts

_GENERAL = """
declare ptr @mlc_host_output(i64, i64, ptr, i64)
declare void @mlc_host_fail(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @mlc_main(ptr %buffers, ptr %dims) {
  %x = load ptr, ptr %buffers
  %d1 = getelementptr i64, ptr %dims, i64 1
  %a = load i64, ptr %dims
  %b = load i64, ptr %d1
  %n = mul i64 %a, %b
  %bytes = mul i64 %n, 4
  %wrong = icmp eq i64 %a, 13
  br i1 %wrong, label %fail, label %copy
fail:
  call void @mlc_host_fail(i64 0)
  unreachable
copy:
  %y = call ptr @mlc_host_output(i64 0, i64 2, ptr %dims, i64 %bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 %bytes, i1 false)
  ret void
}
"""
_OWN = """
define void @mlc_main(ptr %buffers, ptr %dims) {{
entry:
POINTERS
  %shift = load float, ptr %w
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %xi = getelementptr float, ptr %x, i64 %i
  %yi = getelementptr float, ptr %y, i64 %i
  %xv = load float, ptr %xi
  %sum = fadd float %xv, %shift
  store float %sum, ptr %yi
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {count}
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
""".replace("POINTERS", pointers("x", "y", "w"))
WEIGHT_BYTES = 4096


def tensor(name: str, *shape: Any) -> dict[str, Any]:
    return {"name": name, "dtype": "float32", "shape": list(shape)}


def general_manifest() -> dict[str, Any]:
    """Returns the manifest of `y = x`, both of a times b elements; a is 1 to 100 and not 13."""
    return {
        "format": 2,
        "compiler": "test",
        "target": TARGET,
        "report": {},
        "entry": "mlc_main",
        "inputs": [tensor("x", "a", "b")],
        "outputs": [tensor("y", "a", "b")],
        "weights": [tensor("w0", WEIGHT_BYTES // 4)],
        "dims": [{"name": "a", "least": 1, "most": 100}, {"name": "b", "least": 1, "most": None}],
        "messages": ["13 rows"],
        "arena_bytes": 0,
    }


def own_parts(sizes: Sequence[int], shift: float = 100.0, **change: Any) -> Parts:
    """Returns the parts of `y = x + shift`, specialised for these sizes."""
    manifest = general_manifest() | {
        "format": 1,
        "inputs": [tensor("x", *sizes)],
        "outputs": [tensor("y", *sizes)],
        "arena_bytes": 64,
    }
    weights = {"w0": np.full(WEIGHT_BYTES // 4, shift, np.float32)}
    return Parts(manifest | change, [compile_ir(_OWN.format(count=int(np.prod(sizes))))], weights)


def general_parts() -> Parts:
    return Parts(general_manifest(), [compile_ir(_GENERAL)], {"w0": np.zeros(WEIGHT_BYTES // 4, np.float32)})


class Maker:
    """Makes `own_parts`, and remembers for which sizes."""

    def __init__(self, shift: float = 100.0, **change: Any) -> None:
        self.asked: list[tuple[int, ...]] = []
        self.shift, self.change = shift, change
        self.cancelled = False

    def __call__(self, sizes: Sequence[int]) -> Parts:
        self.asked.append(tuple(sizes))
        return own_parts(sizes, self.shift, **self.change)

    def cancel(self) -> None:
        self.cancelled = True


def executable(make: Any, **policy: Any) -> Executable:
    """One that waits for what it makes, at the third call."""
    chosen = Specialise(**{"background": False, "after": 3, **policy})
    return Executable(*general_parts()[:3], threads=1, specialise=chosen, make=make)


def runs_own(program: Executable, *sizes: int) -> bool:
    """Calls it: whether the program for these sizes alone answered, rightly."""
    x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
    [y] = program(x)
    assert y.shape == x.shape
    shift = y - x
    assert (shift == shift.flat[0]).all() and shift.flat[0] in (0, 100)
    return bool(shift.flat[0])


def states(program: Executable) -> dict[tuple[int, ...], str]:
    """Returns the states of the sizes in the report."""
    return {tuple(row["sizes"].values()): row["state"] for row in program.report()["specialised"]["sizes"]}
