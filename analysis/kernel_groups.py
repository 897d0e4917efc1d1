"""Which ops share a kernel, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.analysis.constant_values import Constants, inner_ops
from mlc.analysis.launch_costs import LAUNCH
from mlc.bindings import ir
from mlc.passes.graph.common.op_families import PRODUCTS, REDUCTIONS, ROWS, WINDOWS
from mlc.passes.graph.fusion.form_kernels import is_host
from mlc.passes.remarks import names_in


@dataclass(frozen=True)
class KernelGroup:
    """A launch: its host function and its kernel, the op that decides how the kernel is scheduled, the ops
    that joined it (in program order), and the ONNX nodes of all."""

    function: str
    kernel: str
    anchor: str
    joined: tuple[str, ...]
    nodes: tuple[str, ...]


def kernel_groups(module: ir.Operation) -> list[KernelGroup]:
    """The launches of the host functions of a module, in order."""
    functions = [each.operation for each in module.regions[0].blocks[0] if each.operation.name == "func.func"]
    kernels = {
        each.attributes["sym_name"].value: _ops(each)
        for each in functions
        if "tloop.kernel" in each.attributes
    }
    return [
        _group(host.attributes["sym_name"].value, op, kernels[op.attributes["kernel"].value])
        for host in functions
        if is_host(host)
        for op in inner_ops(host)
        if op.name == LAUNCH
    ]


def _ops(kernel: ir.Operation) -> list[str]:
    ops = [each.operation for each in kernel.regions[0].blocks[0].operations]
    return [op.name for op in ops if op.results and not Constants.defines(op)]


def _group(function: str, launch: ir.Operation, names: Sequence[str]) -> KernelGroup:
    anchor = next(
        (name for anchors in (PRODUCTS | WINDOWS, ROWS, REDUCTIONS) for name in names if name in anchors),
        names[0],
    )
    joined = list(names)
    joined.remove(anchor)
    return KernelGroup(
        function,
        launch.attributes["kernel"].value,
        anchor.removeprefix("graph."),
        tuple(name.removeprefix("graph.") for name in joined),
        names_in(str(launch.location)),
    )
