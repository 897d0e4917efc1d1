"""tloop-verify-in-place: kernels that may overwrite an operand read it only at the indices that they
write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir, linalg
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import IN_PLACE, is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on

_PARTS = (linalg.Yield.NAME, linalg.Index.NAME)


def violations(kernel: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Yields why `kernel` must not overwrite the operands in its attribute, as messages and locations."""
    name = func.Func(kernel).sym_name
    loops = [op for op in collect_ops(kernel) if op.name.startswith("linalg.") and op.name not in _PARTS]
    if len(loops) > 1 or any(op.name != linalg.Generic.NAME for op in loops):
        yield f"kernel @{name} works in place, but is {len(loops)} loop nests, not one", kernel.location
        return
    for loop in loops:
        yield from _misread(kernel, loop)


def _misread(kernel: ir.Operation, loop: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Yields the operands that the loop nest reads at other indices than it writes."""
    name = func.Func(kernel).sym_name
    maps = linalg.Generic(loop).indexing_maps
    arguments = list(kernel.regions[0].blocks[0].arguments)
    for index in kernel.attributes[IN_PLACE]:
        for value, map_ in zip(loop.operands, maps, strict=True):
            if value == arguments[index] and map_ != maps[-1]:
                yield (
                    f"kernel @{name} may write over operand #{index}, but reads it at {map_}",
                    loop.location,
                )


@dataclass(frozen=True)
class VerifyInPlace(Pass):
    """Check that a kernel marked `tloop.in_place` is one elementwise loop nest, which reads each operand that
    it may overwrite only at the index that it writes.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "tloop-verify-in-place"

    def run(self, op: ir.Operation) -> None:
        kernels = filter(is_kernel, collect_ops(op, func.Func.NAME))
        marked = [kernel for kernel in kernels if IN_PLACE in kernel.attributes]
        fail_on(violation for kernel in marked for violation in violations(kernel))
