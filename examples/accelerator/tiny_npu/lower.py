"""tiny-npu-lower: tiles in buffers become a program of the machine, calls of the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import collect_ops, erase_op, terminator_of
from tiny_npu.calls import Program, declare
from tiny_npu.dma import lower_copy
from tiny_npu.elementwise import lower_elementwise
from tiny_npu.intrinsics import FUNCTION, remove_intrinsics


def uses_matrix_unit(kernel: ir.Operation) -> bool:
    """Whether the kernel was scheduled for the machine."""
    return any(FUNCTION in op.attributes for op in collect_ops(kernel, "linalg.generic"))


def lower_kernel(kernel: ir.Operation) -> dict[str, int]:
    """Turns a kernel into a program of the machine: what it allocates lies in the scratchpad, its arguments
    in main memory. Gives the functions that it calls, with their numbers of arguments."""
    program = Program()
    allocations = collect_ops(kernel, "memref.alloc")
    for allocation in allocations:
        program.place(allocation.results[0])
    for op in collect_ops(kernel, ("memref.copy", "linalg.generic")):
        with ir.InsertionPoint(op), op.location:
            _lower(op, program)
        erase_op(op)
    for each in (*collect_ops(kernel, "memref.dealloc"), *allocations):
        erase_op(each)
    body = kernel.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(body), kernel.location:
        program.call("npu_begin")
    with ir.InsertionPoint(terminator_of(body)), kernel.location:
        program.call("npu_end")
    return program.functions


def _lower(op: ir.Operation, program: Program) -> None:
    if op.name == "memref.copy":
        lower_copy(op, program)
    elif FUNCTION in op.attributes:
        left, right, sums = (program.address(value, op) for value in op.operands)
        program.call(op.attributes[FUNCTION].value, sums, left, right)
    else:
        lower_elementwise(op, program)


@dataclass(frozen=True)
class Lower(Pass):
    """Turn kernels with intrinsics of tiny-npu, on buffers, into calls of its simulator: allocations become
    places in the scratchpad, copies DMA, intrinsics instructions of the matrix unit, and elementwise
    computations those of the vector unit. Other kernels stay as they are."""

    name: ClassVar[str] = "tiny-npu-lower"

    def run(self, op: ir.Operation) -> None:
        functions: dict[str, int] = {}
        kernels = [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]
        for kernel in filter(uses_matrix_unit, kernels):
            functions |= lower_kernel(kernel)
        remove_intrinsics(op)
        declare(op, functions)
