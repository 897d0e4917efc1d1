"""tloop-stack-buffers: what a kernel still allocates goes to the stack, outside sequential loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import affine, func, ir, memref
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import i8, index_constant
from mlc.passes.common.kernel_functions import DIMS, WORKSPACE, is_kernel, is_workspace
from mlc.passes.common.rewriting import collect_ops, erase_op, replace_op, terminator_of

# Regions that every thread enters on its own stack.
THREADS = "omp.parallel"
# Bytes of stack that one kernel may use.
MOST_BYTES = 768 * 1024


def element_bytes(kind: ir.Type) -> int:
    width = kind.width if isinstance(kind, ir.IntegerType | ir.FloatType) else 64
    return max(1, width // 8)


def size_in_bytes(kind: ir.MemRefType) -> int:
    return prod(kind.shape) * element_bytes(kind.element_type)


def owner_block(op: ir.Operation) -> ir.Block:
    """The outermost block that a thread enters once: the kernel's, or the body of a parallel region."""
    block = op.block
    while block.owner.operation.name not in (THREADS, func.Func.NAME):
        block = block.owner.operation.block
    return block


def most_of(size: ir.Value) -> int | None:
    """The largest number that a size may be, where it is the smaller one of a constant and something else."""
    op = affine.AffineMin.defining(size)
    if op is None:
        return None
    limits = [result for result in op.map.results if isinstance(result, ir.AffineConstantExpr)]
    return min((limit.value for limit in limits), default=None)


def largest(op: ir.Operation) -> ir.MemRefType | None:
    """The type that an allocation has at most; None where that is not known."""
    kind, sizes = ir.MemRefType(op.results[0].type), iter(op.operands)
    shape = [most_of(next(sizes)) if kind.is_dynamic_dim(at) else each for at, each in enumerate(kind.shape)]
    if None in shape:
        return None
    return ir.MemRefType.get(shape, kind.element_type)


def to_stack(op: ir.Operation) -> None:
    """An alloca inside a sequential loop would grow the stack with every iteration."""
    kind, most = ir.MemRefType(op.results[0].type), largest(op)
    assert most is not None, "checked before"
    if not kind.has_static_shape:
        _part_to_stack(op, kind, size_in_bytes(most))
        return
    with ir.InsertionPoint.at_block_begin(owner_block(op)), op.location:
        buffer = memref.AllocaOp(kind, [], [], alignment=64)
    replace_op(op, [buffer.result])


def _part_to_stack(op: ir.Operation, kind: ir.MemRefType, size: int) -> None:
    """As much of a buffer of `size` bytes as the allocation needs each time."""
    with ir.InsertionPoint.at_block_begin(owner_block(op)), op.location:
        memory = ir.MemRefType.get([size], i8())
        whole = memref.AllocaOp(memory, [], [], alignment=64)
    with ir.InsertionPoint(op), op.location:
        part = memref.ViewOp(kind, whole.result, index_constant(0), list(op.operands))
    replace_op(op, [part.result])


def to_workspace(op: ir.Operation) -> None:
    """The allocation, released at the end of its block."""
    op.attributes[WORKSPACE] = ir.UnitAttr.get()
    with ir.InsertionPoint(terminator_of(op.block)), op.location:
        memref.DeallocOp(op.results[0])


@dataclass(frozen=True)
class StackBuffers(Pass):
    """Turn allocations of kernels into stack buffers. A kernel must not allocate; one that needs more
    scratch memory than 768 KiB is an error (the fusion that made it was wrong). The workspace of a GPU's
    kernel (`tloop.workspace`), which is run here, stays on the heap; so does scratch memory of a size that
    only a call tells, which becomes such a workspace."""

    name: ClassVar[str] = "tloop-stack-buffers"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        if not is_kernel(op):
            return
        allocations, releases = (
            [each for each in collect_ops(op, name) if not is_workspace(each)]
            for name in (memref.Alloc.NAME, memref.Dealloc.NAME)
        )
        self.check(op, allocations)
        for each in releases:
            erase_op(each)
        for each in allocations:
            (to_workspace if largest(each) is None else to_stack)(each)

    def check(self, kernel: ir.Operation, allocations: Sequence[ir.Operation]) -> None:
        """Raises PassError if the allocations do not fit on a stack."""
        kinds = []
        for each in allocations:
            kind = largest(each)
            if kind is None and DIMS in kernel.attributes:
                continue
            if kind is None:
                found = each.results[0].type
                raise PassError(f"the kernel needs scratch memory of unknown size, a {found}", each.location)
            kinds.append(kind)
        total = sum(map(size_in_bytes, kinds))
        if total > MOST_BYTES:
            raise PassError(
                f"the kernel needs {total} bytes of scratch memory; at most {MOST_BYTES} are allowed",
                kernel.location,
                [
                    (f"a {kind}", allocation.location)
                    for allocation, kind in zip(allocations, kinds, strict=True)
                ],
            )
