"""host-plan-memory: host functions on tensors become functions on inputs, outputs, weights and one arena."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.passes.base import Pass, PassError
from mlc.passes.common.kernel_functions import IN_PLACE
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.graph.shapes.dynamic_sizes import is_dynamic
from mlc.passes.host.common.description import describe_objects
from mlc.passes.host.memory.allocations import Allocations, allocate
from mlc.passes.host.memory.arena import plan
from mlc.passes.host.program.offsets import TYPICAL_DIM
from mlc.passes.host.program.rewriter import HostRewriter


def overwritable_operands(module: ir.Operation) -> dict[str, list[int]]:
    """The positions of the operands that each kernel may overwrite, by the kernel's name."""
    functions = [inner.operation for inner in module.regions[0].blocks[0]]
    return {
        func.Func(function).sym_name: list(function.attributes[IN_PLACE])
        for function in functions
        if IN_PLACE in function.attributes
    }


def check_addressable(function: ir.Operation, allocations: Allocations) -> None:
    """Raises PassError if the function's buffers take 2^63 bytes or more without sharing."""
    total = sum(size for size in allocations.sizes() if isinstance(size, int))
    if total >= 2**63:
        name = func.Func(function).sym_name
        raise PassError(
            f"the tensors of '@{name}' take {total} bytes, more than there are addresses", function.location
        )


@dataclass(frozen=True)
class HostPlanMemory(Pass):
    """Assign every value of `@main` and `@prepare` to memory: inputs, outputs and weights are arguments,
    other values have fixed offsets in the arena, where buffers that are not live at the same time share
    memory. Reshapes and contiguous slices are parts of their operand's buffer; the operands of contiguous
    concatenations are written to the result's buffer, or copied there; elementwise kernels write over an
    operand that they read last. Launches become `tloop.launch_into`, transfers `memref.copy`, or, if they
    overlap with launches, `gpu.memcpy async` and `gpu.wait`; the buffers of these live until the wait.

    Offsets are those of the best of several strategies, named in `tloop.arena_strategy`;
    `tloop.arena_lower_bound` is the largest sum of bytes that are live at once, which no plan can undercut,
    `tloop.unshared_bytes` the size of the results of all launches without sharing.

    A function with dynamic dims allocates at run time. The same plan decides what shares memory. Buffers
    whose sizes follow from the dims of inputs are in an arena that a call allocates; their order in it is
    decided here, their offsets are computed once per call. Others have a `memref.alloc` before the first op,
    a `memref.dealloc` after the last op that needs the memory; where control flow passes memory on, `scf` ops
    carry it. `tloop.output` marks the memory of outputs. The function computes sizes by `arith` ops, and
    fails a call by `cf.assert`. `tloop.dims` names the dims that callers give, `tloop.input_shapes` and
    `tloop.output_shapes` list the dims of arguments.
    """

    name: ClassVar[str] = "host-plan-memory"

    def run(self, op: ir.Operation) -> None:
        in_place = overwritable_operands(op)
        for function in host_functions(op):
            allocations = allocate(function, in_place, allocates=is_dynamic(function))
            check_addressable(function, allocations)
            made = HostRewriter(function, allocations, plan(allocations.lifetimes(TYPICAL_DIM))).build()
            describe_objects(made, function, op)
            function.erase()
