"""tloop-map-parallel-loops: parallel loops run on threads, or on one thread where the kernel is small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, run_upstream
from mlc.passes.base import Pass
from mlc.passes.tloop.kernel_functions import is_kernel

# Unit attribute of kernels whose work is not worth waking a thread.
ONE_THREAD = "tloop.one_thread"


@dataclass(frozen=True)
class MapParallelLoops(Pass):
    """Turn `scf.forall` into `scf.parallel`, which becomes a parallel region, or into `scf.for` in kernels
    marked `tloop.one_thread`."""

    name: ClassVar[str] = "tloop-map-parallel-loops"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        if is_kernel(op):
            target = "for" if ONE_THREAD in op.attributes else "parallel"
            run_upstream(f"func.func(scf-forall-to-{target})", op)
