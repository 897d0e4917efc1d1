"""host-plan-memory: the host functions from tensors to buffers: inputs, outputs, weights, and one arena."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassError
from mlc.passes.common.kernel_functions import IN_PLACE
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.graph.shapes.dynamic_sizes import is_dynamic
from mlc.passes.host.buffers import HostRewriter
from mlc.passes.host.common.description import describe_objects
from mlc.passes.host.memory.allocations import Allocations, allocate
from mlc.passes.host.memory.arena import plan
from mlc.passes.host.sized.function import SizedFunction


def kernels_in_place(module: ir.Operation) -> dict[str, list[int]]:
    """The operands that each kernel may write over, by the kernel's name."""
    functions = [each.operation for each in module.regions[0].blocks[0]]
    return {
        function.attributes["sym_name"].value: list(function.attributes[IN_PLACE])
        for function in functions
        if IN_PLACE in function.attributes
    }


def check_addressable(function: ir.Operation, allocations: Allocations) -> None:
    """Raises PassError if the function's buffers, none of them shared, are more than 63 bits count."""
    total = sum(allocations.sizes())
    if total >= 2**63:
        name = function.attributes["sym_name"].value
        raise PassError(
            f"the tensors of '@{name}' take {total} bytes, more than there are addresses", function.location
        )


@dataclass(frozen=True)
class HostPlanMemory(Pass):
    """Give every value of `@main` and `@prepare` a place: inputs, outputs and weights are arguments,
    everything else lies at a fixed offset of the arena, where buffers share memory if they are not live
    together. Reshapes and contiguous slices are parts of their operand's buffer; the operands of contiguous
    concatenations are written where the result lies, or copied there; elementwise kernels write over an
    operand that they read last. Launches become `tloop.launch_into`, transfers `memref.copy`, or where
    launches run meanwhile `gpu.memcpy async` and `gpu.wait`; the buffers of these live until the wait.

    Offsets are those of the best of several strategies, named in `tloop.arena_strategy`;
    `tloop.arena_lower_bound` is the largest sum of bytes that are live at once, which no plan can undercut,
    `tloop.unshared_bytes` what the results of all launches would take apart.

    A function with dims that only a call tells allocates as it runs: `memref.alloc` before a launch,
    `memref.dealloc` behind the last op that needs it; `tloop.output` marks the memory of outputs. It computes
    sizes by `arith` ops, and fails a call by `cf.assert`. `tloop.dims` names the dims that callers give,
    `tloop.input_shapes` and `tloop.output_shapes` say where they are.
    """

    name: ClassVar[str] = "host-plan-memory"

    def run(self, op: ir.Operation) -> None:
        in_place = kernels_in_place(op)
        for function in host_functions(op):
            if is_dynamic(function):
                describe_objects(SizedFunction(function, in_place).build(), function, op)
                function.erase()
                continue
            allocations = allocate(function, in_place)
            check_addressable(function, allocations)
            made = HostRewriter(function, allocations, plan(allocations.lifetimes())).build()
            describe_objects(made, function, op)
            function.erase()
