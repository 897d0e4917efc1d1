"""Small kernels from a few lines of MLIR."""

from __future__ import annotations

from typing import Any

import numpy as np
from emulator import Options, TensorMap, launch

SHARED = (
    "llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>"
)
# The thread, its lane, constants, and the base of shared memory.
PROLOGUE = """
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %all = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
"""


def run(
    body: str,
    *arrays: np.ndarray | TensorMap | int,
    threads: int = 32,
    blocks: int = 1,
    cluster: int = 1,
    shared_bytes: int = 0,
    options: Options | None = None,
) -> None:
    """Runs a kernel whose parameters are %p0, %p1, ...: pointers for arrays, i32 for integers."""
    element_types = ["i32" if isinstance(array, int) else "!llvm.ptr" for array in arrays]
    parameters = ", ".join(f"%p{i}: {element_type}" for i, element_type in enumerate(element_types))
    text = (
        f"{SHARED}\nllvm.func @k({parameters}) attributes {{nvvm.kernel}} {{ {PROLOGUE} {body} llvm.return }}"
    )
    size = {"grid": (blocks,), "block": (threads,), "cluster": (cluster,)}
    launch(text, *arrays, **size, shared_bytes=shared_bytes, options=options or Options())


def per_thread(
    body: str, *arrays: np.ndarray, threads: int = 32, element_type: str = "i32", **others: Any
) -> np.ndarray:
    """Returns the %r that `body` computes, per thread."""
    result = np.zeros(threads, {"i32": np.uint32, "f32": np.float32}[element_type])
    store = f"""
      %out = llvm.getelementptr %p{len(arrays)}[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %r, %out : {element_type}, !llvm.ptr
    """
    run(body + store, *arrays, result, threads=threads, **others)
    return result
