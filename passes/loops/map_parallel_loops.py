"""tloop-map-parallel-loops: parallel loops run on threads, or on one thread where the kernel is small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, run_upstream
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import LEAST_ITERATIONS, ONE_THREAD, is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.loops.few_iterations import run_few_on_one_thread


@dataclass(frozen=True)
class MapParallelLoops(Pass):
    """Turn `scf.forall` into `scf.parallel`, which becomes a parallel region, or into `scf.for` in kernels
    marked `tloop.one_thread`.

    In kernels marked `tloop.least_iterations`, loops with fewer iterations run on one thread: only running
    tells how many there are.
    """

    name: ClassVar[str] = "tloop-map-parallel-loops"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        if is_kernel(op):
            if LEAST_ITERATIONS in op.attributes:
                for loop in collect_ops(op, "scf.forall"):
                    run_few_on_one_thread(loop, op.attributes[LEAST_ITERATIONS].value)
            target = "for" if ONE_THREAD in op.attributes else "parallel"
            run_upstream(f"func.func(scf-forall-to-{target})", op)
