"""host-verify: host functions only launch kernels, and every launch fits its kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph, tloop
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import DIMS, is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on
from mlc.passes.graph.common.views import CONSTANTS, needs_no_kernel
from mlc.passes.graph.fusion.form_kernels import is_host

HOST_OPS = CONSTANTS | {
    graph.CallRuntime.NAME,
    graph.Check.NAME,
    *tloop.EXPECTATIONS,
    tloop.Launch.NAME,
    tloop.Row.NAME,
    tloop.Transfer.NAME,
}
HOST_OPS |= {func.Return.NAME}
SIZE_OPS = {tloop.Expect.NAME, tloop.SizeValues.NAME, tloop.ReadSizes.NAME}
BODY_OPS = {*graph.CONTROL_OPS, graph.Yield.NAME}


def mismatch(field: str, actual: Sequence[ir.Value], declared: Sequence[ir.Type]) -> str:
    """Describes how operands or results of a launch differ from the kernel's; empty if they agree."""
    if len(actual) != len(declared):
        return f"has {len(actual)} {field}s, but the kernel has {len(declared)}"
    for index, (value, type_) in enumerate(zip(actual, declared, strict=True)):
        if value.type != type_:
            return f"has {field} #{index} of type {value.type}, but the kernel's is {type_}"
    return ""


def signature(kernel: ir.Operation) -> ir.FunctionType:
    """The function type that launches of a kernel have: all but the operand of the dims."""
    type_: ir.FunctionType = func.Func(kernel).function_type
    return ir.FunctionType.get(type_.inputs[:-1], type_.results) if DIMS in kernel.attributes else type_


def launch_violation(launch: ir.Operation, kernels: Mapping[str, ir.FunctionType]) -> str:
    """Describes the fault of a launch; empty if there is none."""
    name = tloop.Launch(launch).kernel
    if name not in kernels:
        return f"the kernel @{name} does not exist"
    type_ = kernels[name]
    wrong = mismatch("operand", launch.operands, type_.inputs)
    wrong = wrong or mismatch("result", launch.results, type_.results)
    return f"launch of @{name} {wrong}" if wrong else ""


def violations(
    function: ir.Operation, kernels: Mapping[str, ir.FunctionType]
) -> Iterator[tuple[str, ir.Location]]:
    """Yields the messages and locations of the reasons why `function` is not a host program."""
    for op in collect_ops(function):
        if op.name not in HOST_OPS | BODY_OPS | SIZE_OPS and not needs_no_kernel(op):
            advice = ": run graph-form-kernels first" if op.name.startswith("graph.") else ""
            yield f"a host function cannot hold '{op.name}'{advice}", op.location
        if tloop.Launch.isa(op) and (wrong := launch_violation(op, kernels)):
            yield wrong, op.location


@dataclass(frozen=True)
class HostVerify(Pass):
    """Check that `@main` and `@prepare` hold only views, constants, concatenations in place, transfers,
    calls of the runtime, checks, launches that fit their kernels, and control flow around these.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "host-verify"

    def run(self, op: ir.Operation) -> None:
        functions = [inner.operation for inner in op.regions[0].blocks[0] if func.Func.isa(inner)]
        kernels = {
            func.Func(function).sym_name: signature(function) for function in functions if is_kernel(function)
        }
        fail_on(
            violation
            for function in functions
            if is_host(function)
            for violation in violations(function, kernels)
        )
