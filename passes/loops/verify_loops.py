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

TENSORS = (ir.RankedTensorType, ir.UnrankedTensorType)
HEAP = frozenset({memref.Alloc.NAME, memref.Realloc.NAME, memref.Dealloc.NAME})


def tensor_of(op: ir.Operation) -> ir.Type | None:
    """Returns the first tensor type of the results of `op` and the arguments of its blocks, or None."""
    values: list[ir.Value] = list(op.results)
    if len(op.regions):
        values += [argument for region in op.regions for block in region for argument in block.arguments]
    types = (value.type for value in values)
    return next((type_ for type_ in types if isinstance(type_, TENSORS)), None)


def violations(kernel: ir.Operation, heap: bool) -> Iterator[tuple[str, ir.Location]]:
    """Yields the violations of the level of loops in `kernel`, as messages and locations."""
    where = f"of kernel @{func.Func(kernel).sym_name}"
    for op in [kernel, *collect_ops(kernel)]:
        if (type_ := tensor_of(op)) is not None:
            yield f"'{op.name}' op {where} still defines a {type_}: it was not bufferised", op.location
        if not heap and op.name in HEAP and not is_workspace(op):
            yield f"'{op.name}' op {where} uses the heap, which the kernel contract forbids", op.location


@dataclass(frozen=True)
class VerifyLoops(Pass):
    """Check that kernels define no tensors, and use the heap for no more than a workspace.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "tloop-verify-loops"

    heap: bool = option(False, help="accept memref.alloc, as bufferisation leaves it")

    def run(self, op: ir.Operation) -> bool:
        kernels = filter(is_kernel, collect_ops(op, func.Func.NAME))
        fail_on(violation for kernel in kernels for violation in violations(kernel, self.heap))
        return False
