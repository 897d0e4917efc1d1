"""The kernels' way to the llvm dialect."""

from __future__ import annotations

from mlc.bindings import ir, run_upstream

TO_LLVM = (
    "builtin.module(gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, convert-nvvm-to-llvm,"
    " reconcile-unrealized-casts, canonicalize, cse))"
)


def lower(module: ir.Module) -> None:
    """Kernels of llvm.func, scf, arith and nvvm to the llvm dialect, with branches and PTX."""
    run_upstream(TO_LLVM, module)
