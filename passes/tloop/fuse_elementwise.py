"""tloop-fuse-elementwise: chains of elementwise computations become one, unless a schedule names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, run_upstream
from mlc.passes.base import Pass
from mlc.passes.tloop.kernel_functions import is_kernel, schedules


@dataclass(frozen=True)
class FuseElementwise(Pass):
    """Runs upstream's linalg-fuse-elementwise-ops on kernels without a schedule.

    A schedule that comes with its kernel names the computations as they were written.
    """

    name: ClassVar[str] = "tloop-fuse-elementwise"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> None:
        scheduled = schedules(op)
        for kernel in [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]:
            if kernel.attributes["sym_name"].value not in scheduled:
                run_upstream("func.func(linalg-fuse-elementwise-ops)", kernel)
