"""The pass tiny-npu-lower: computations on tiles in buffers become calls of the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import collect_ops, erase_op, terminator_of
from tiny_npu.calls import NpuProgram, declare
from tiny_npu.dma import lower_copy
from tiny_npu.elementwise import lower_elementwise
from tiny_npu.intrinsics import FUNCTION, remove_intrinsics


def uses_matrix_unit(kernel: ir.Operation) -> bool:
    """Whether the kernel was scheduled for the machine."""
    return any(FUNCTION in op.attributes for op in collect_ops(kernel, "linalg.generic"))


def lower_kernel(kernel: ir.Operation) -> dict[str, int]:
    """Turns a kernel into a program of the machine: its allocations are in the scratchpad, its arguments in
    main memory. Returns the functions that it calls, with their argument counts."""
    program = NpuProgram()
    allocations = collect_ops(kernel, "memref.alloc")
    for allocation in allocations:
        program.allocate(allocation.results[0])
    for op in collect_ops(kernel, ("memref.copy", "linalg.generic")):
        with ir.InsertionPoint(op), op.location:
            _lower(op, program)
        erase_op(op)
    for op in (*collect_ops(kernel, "memref.dealloc"), *allocations):
        erase_op(op)
    body = kernel.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(body), kernel.location:
        program.call("npu_begin")
    with ir.InsertionPoint(terminator_of(body)), kernel.location:
        program.call("npu_end")
    return program.functions


def _lower(op: ir.Operation, program: NpuProgram) -> None:
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
    addresses in the scratchpad, copies DMA, intrinsics instructions of the matrix unit, and elementwise
    computations those of the vector unit. Other kernels stay as they are."""

    name: ClassVar[str] = "tiny-npu-lower"

    def run(self, op: ir.Operation) -> None:
        """Lowers the scheduled kernels of a module."""
        functions: dict[str, int] = {}
        functions_of_module = [view.operation for view in op.regions[0].blocks[0]]
        for function in functions_of_module:
            if is_kernel(function) and uses_matrix_unit(function):
                functions |= lower_kernel(function)
        remove_intrinsics(op)
        declare(op, functions)
