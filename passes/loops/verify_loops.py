"""tloop-verify-loops: kernels are at the level of loops: buffers and vectors, no tensors, no heap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir, memref
from mlc.passes.base import Pass, option
from mlc.passes.common.kernel_functions import is_kernel, is_workspace
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on

HEAP = frozenset({memref.Alloc.NAME, memref.Realloc.NAME, memref.Dealloc.NAME})


def tensor_of(op: ir.Operation) -> ir.Type | None:
    """The first tensor type among what `op` defines, its results and the arguments of its blocks, or None."""
    arguments = [argument for region in op.regions for block in region for argument in block.arguments]
    kinds = [value.type for value in (*op.results, *arguments)]
    return next(
        (kind for kind in kinds if isinstance(kind, ir.RankedTensorType | ir.UnrankedTensorType)), None
    )


def violations(kernel: ir.Operation, heap: bool) -> Iterator[tuple[str, ir.Location]]:
    """What keeps `kernel` from the level of loops, as messages and locations."""
    where = f"of kernel @{kernel.attributes['sym_name'].value}"
    for op in [kernel, *collect_ops(kernel)]:
        if (kind := tensor_of(op)) is not None:
            yield f"'{op.name}' op {where} still defines a {kind}: it was not bufferised", op.location
        if not heap and op.name in HEAP and not is_workspace(op):
            yield f"'{op.name}' op {where} uses the heap, which the kernel contract forbids", op.location


@dataclass(frozen=True)
class VerifyLoops(Pass):
    """Check that kernels define no tensors, and use the heap for no more than a workspace.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "tloop-verify-loops"

    heap: bool = option(False, help="accept memref.alloc, as bufferisation leaves it")

    def run(self, op: ir.Operation) -> None:
        kernels = [each for each in collect_ops(op, func.Func.NAME) if is_kernel(each)]
        fail_on(violation for kernel in kernels for violation in violations(kernel, self.heap))
