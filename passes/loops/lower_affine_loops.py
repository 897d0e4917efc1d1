"""tloop-lower-affine-loops: kernels written as affine loops, to loops of scf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import affine, ir, run_upstream
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import collect_ops

LOOPS = (affine.AffineFor.NAME, affine.AffineParallel.NAME)


@dataclass(frozen=True)
class LowerAffineLoops(Pass):
    """Runs upstream's lower-affine on kernels that hold affine loops.

    Upstream's later passes take `affine.parallel` for a sequential loop: buffers of its iterations would move
    out of it and be shared. OpenMP's conversion does not know it at all.
    """

    name: ClassVar[str] = "tloop-lower-affine-loops"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        if not is_kernel(op) or not collect_ops(op, LOOPS):
            return False
        run_upstream("func.func(lower-affine)", op)
        return True
