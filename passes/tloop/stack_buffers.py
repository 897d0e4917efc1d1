"""tloop-stack-buffers: what a kernel still allocates goes to the stack, outside sequential loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir, memref
from mlc.passes.base import Pass, PassFailure, option
from mlc.passes.rewriting import collect_ops, erase_op, replace_op
from mlc.passes.tloop.kernel_functions import is_kernel, is_workspace

# Regions that every thread enters on its own stack.
THREADS = "omp.parallel"


def element_bytes(kind: ir.Type) -> int:
    width = kind.width if isinstance(kind, ir.IntegerType | ir.FloatType) else 64
    return max(1, width // 8)


def size_in_bytes(kind: ir.MemRefType) -> int:
    return prod(kind.shape) * element_bytes(kind.element_type)


def owner_block(op: ir.Operation) -> ir.Block:
    """The outermost block that a thread enters once: the kernel's, or the body of a parallel region."""
    block = op.block
    while block.owner.operation.name not in (THREADS, "func.func"):
        block = block.owner.operation.block
    return block


def to_stack(op: ir.Operation) -> None:
    """An alloca inside a sequential loop would grow the stack with every iteration."""
    kind = ir.MemRefType(op.results[0].type)
    with ir.InsertionPoint.at_block_begin(owner_block(op)), op.location:
        buffer = memref.AllocaOp(kind, [], [], alignment=64)
    replace_op(op, [buffer.result])


@dataclass(frozen=True)
class StackBuffers(Pass):
    """Turn allocations of kernels into stack buffers. A kernel must not allocate; one that needs more
    scratch memory than `max-bytes` is an error (the fusion that made it was wrong). The workspace of a GPU's
    kernel (`tloop.workspace`), which is run here, stays on the heap."""

    name: ClassVar[str] = "tloop-stack-buffers"
    anchor: ClassVar[str] = "func.func"

    max_bytes: int = option(768 * 1024, help="bytes of stack that one kernel may use")

    def run(self, op: ir.Operation) -> None:
        if not is_kernel(op):
            return
        allocations, releases = (
            [each for each in collect_ops(op, name) if not is_workspace(each)]
            for name in ("memref.alloc", "memref.dealloc")
        )
        self.check(op, allocations)
        for each in releases:
            erase_op(each)
        for each in allocations:
            to_stack(each)

    def check(self, kernel: ir.Operation, allocations: Sequence[ir.Operation]) -> None:
        """Raises PassFailure if the allocations do not fit on a stack."""
        kinds = [ir.MemRefType(each.results[0].type) for each in allocations]
        for each, kind in zip(allocations, kinds, strict=True):
            if not kind.has_static_shape:
                raise PassFailure(f"the kernel needs scratch memory of unknown size, a {kind}", each.location)
        total = sum(map(size_in_bytes, kinds))
        if total > self.max_bytes:
            raise PassFailure(
                f"the kernel needs {total} bytes of scratch memory; at most {self.max_bytes} are allowed",
                kernel.location,
                [(f"a {kind}", each.location) for each, kind in zip(allocations, kinds, strict=True)],
            )
