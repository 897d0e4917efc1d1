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
    tloop.Launch.NAME,
    tloop.Row.NAME,
    tloop.Transfer.NAME,
}
HOST_OPS |= {func.Return.NAME}
SIZE_OPS = {tloop.Expect.NAME, tloop.SizeValues.NAME, tloop.ReadSizes.NAME}
BODY_OPS = {*graph.CONTROL_OPS, graph.Yield.NAME}


def mismatch(field: str, actual: Sequence[ir.Value], declared: Sequence[ir.Type]) -> str:
    """How operands or results of a launch differ from what the kernel declares; empty if they agree."""
    if len(actual) != len(declared):
        return f"has {len(actual)} {field}s, but the kernel has {len(declared)}"
    for index, (value, kind) in enumerate(zip(actual, declared, strict=True)):
        if value.type != kind:
            return f"has {field} #{index} of type {value.type}, but the kernel's is {kind}"
    return ""


def signature(kernel: ir.Operation) -> ir.FunctionType:
    """What launches of a kernel fit: all but the operand that gives dims."""
    kind = kernel.attributes["function_type"].value
    return ir.FunctionType.get(kind.inputs[:-1], kind.results) if DIMS in kernel.attributes else kind


def launch_violation(launch: ir.Operation, kernels: Mapping[str, ir.FunctionType]) -> str:
    """What is wrong with a launch, empty when nothing is."""
    name = launch.attributes["kernel"].value
    if name not in kernels:
        return f"the kernel @{name} does not exist"
    kind = kernels[name]
    wrong = mismatch("operand", launch.operands, kind.inputs) or mismatch(
        "result", launch.results, kind.results
    )
    return f"launch of @{name} {wrong}" if wrong else ""


def violations(
    function: ir.Operation, kernels: Mapping[str, ir.FunctionType]
) -> Iterator[tuple[str, ir.Location]]:
    """What keeps `function` from being a host program, as messages and locations."""
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
        functions = [
            each.operation for each in op.regions[0].blocks[0] if each.operation.name == func.Func.NAME
        ]
        kernels = {
            function.attributes["sym_name"].value: signature(function)
            for function in functions
            if is_kernel(function)
        }
        fail_on(
            violation
            for function in functions
            if is_host(function)
            for violation in violations(function, kernels)
        )
