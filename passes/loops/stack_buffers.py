"""tloop-stack-buffers: the remaining allocations of a kernel go to the stack, outside sequential loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import affine, func, ir, memref
from mlc.passes.base import Pass, PassError
from mlc.passes.common.affine import smallest_constant
from mlc.passes.common.constants import i8, index_constant
from mlc.passes.common.kernel_functions import DIMS, WORKSPACE, is_kernel, is_workspace
from mlc.passes.common.rewriting import collect_ops, erase_op, replace_op, terminator_of

# Regions that every thread enters on its own stack.
THREADS = "omp.parallel"
# Bytes of stack that one kernel may use.
MOST_BYTES = 768 * 1024


def element_bytes(type_: ir.Type) -> int:
    """Returns the bytes of an element in memory, at most: of a scalar, a complex number or a vector. LLVM
    rounds scalars and rows of vectors up to a power of two."""
    if isinstance(type_, ir.ComplexType):
        return 2 * element_bytes(type_.element_type)
    if isinstance(type_, ir.VectorType):
        *rows, row = type_.shape or [1]
        return prod(rows) * _round_up(row * element_bytes(type_.element_type))
    width = type_.width if isinstance(type_, ir.IntegerType | ir.FloatType) else 64
    return _round_up(-(-width // 8))


def _round_up(size: int) -> int:
    """Returns the next power of two."""
    return 1 << (size - 1).bit_length()


def size_in_bytes(type_: ir.MemRefType) -> int:
    """Returns the bytes of a buffer of static shape."""
    return prod(type_.shape) * element_bytes(type_.element_type)


def owner_block(op: ir.Operation) -> ir.Block:
    """Returns the outermost block that a thread enters once: the kernel's, or the body of a parallel
    region."""
    block = op.block
    while block.owner.operation.name not in (THREADS, func.Func.NAME):
        block = block.owner.operation.block
    return block


def bound_of(size: ir.Value) -> int | None:
    """Returns the constant of a size that is the smaller of a constant and something else, or None."""
    minimum = affine.AffineMin.defining(size)
    return None if minimum is None else smallest_constant(minimum.map)


def largest(op: ir.Operation) -> ir.MemRefType | None:
    """Returns the type that an allocation has at most; None if that is not known."""
    type_, sizes = ir.MemRefType(memref.Alloc(op).memref.type), iter(op.operands)
    shape = [
        bound_of(next(sizes)) if type_.is_dynamic_dim(dim) else extent
        for dim, extent in enumerate(type_.shape)
    ]
    return None if None in shape else ir.MemRefType.get(shape, type_.element_type)


def to_stack(op: ir.Operation) -> None:
    """Replaces an allocation by an alloca outside sequential loops: in one it would grow the stack with every
    iteration."""
    type_, most = ir.MemRefType(memref.Alloc(op).memref.type), largest(op)
    assert most is not None, "checked before"
    if not type_.has_static_shape:
        _part_to_stack(op, type_, size_in_bytes(most))
        return
    with ir.InsertionPoint.at_block_begin(owner_block(op)), op.location:
        buffer = memref.AllocaOp(type_, [], [], alignment=64)
    replace_op(op, [buffer.result])


def _part_to_stack(op: ir.Operation, type_: ir.MemRefType, size: int) -> None:
    """Replaces an allocation by a view of a buffer of `size` bytes, its most."""
    with ir.InsertionPoint.at_block_begin(owner_block(op)), op.location:
        memory = ir.MemRefType.get([size], i8())
        whole = memref.AllocaOp(memory, [], [], alignment=64)
    with ir.InsertionPoint(op), op.location:
        part = memref.ViewOp(type_, whole.result, index_constant(0), list(op.operands))
    replace_op(op, [part.result])


def to_workspace(op: ir.Operation) -> None:
    """Marks the allocation as a workspace, and releases it at the end of its block."""
    op.attributes[WORKSPACE] = ir.UnitAttr.get()
    with ir.InsertionPoint(terminator_of(op.block)), op.location:
        memref.DeallocOp(memref.Alloc(op).memref)


def _check_stays(allocation: ir.Operation) -> None:
    """Raises PassError if a block yields scratch memory of dynamic size, which it releases at its end."""
    memory = memref.Alloc(allocation).memref
    if any(use.owner == terminator_of(allocation.block) for use in memory.uses):
        raise PassError(
            f"scratch memory of unknown size, a {memory.type}, leaves its block", allocation.location
        )


@dataclass(frozen=True)
class StackBuffers(Pass):
    """Turn allocations of kernels into stack buffers. A kernel must not allocate; one that needs more
    scratch memory than 768 KiB is an error (the fusion that made it was wrong). The workspace of a GPU's
    kernel (`tloop.workspace`), which is run here, stays on the heap; so does scratch memory of dynamic size,
    which becomes such a workspace."""

    name: ClassVar[str] = "tloop-stack-buffers"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        if not is_kernel(op):
            return False
        allocations, releases = (
            [found for found in collect_ops(op, name) if not is_workspace(found)]
            for name in (memref.Alloc.NAME, memref.Dealloc.NAME)
        )
        self.check(op, allocations)
        for release in releases:
            erase_op(release)
        for allocation in allocations:
            (to_workspace if largest(allocation) is None else to_stack)(allocation)
        return bool(allocations or releases)

    def check(self, kernel: ir.Operation, allocations: Sequence[ir.Operation]) -> None:
        """Raises PassError if the allocations do not fit on a stack."""
        sized: list[tuple[ir.MemRefType, ir.Location]] = []
        for allocation in allocations:
            type_, location = largest(allocation), allocation.location
            if type_ is not None:
                sized.append((type_, location))
            elif DIMS in kernel.attributes:
                _check_stays(allocation)
            else:
                found = memref.Alloc(allocation).memref.type
                raise PassError(f"the kernel needs scratch memory of unknown size, a {found}", location)
        total = sum(size_in_bytes(type_) for type_, _ in sized)
        if total > MOST_BYTES:
            raise PassError(
                f"the kernel needs {total} bytes of scratch memory; at most {MOST_BYTES} are allowed",
                kernel.location,
                [(f"a {type_}", location) for type_, location in sized],
            )
