"""The ops that share a kernel, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.analysis.constant_values import ConstantValues, inner_ops
from mlc.bindings import func, ir
from mlc.dialects import tloop
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
    """Returns the launches of the host functions of a module, in order."""
    functions = [op.operation for op in module.regions[0].blocks[0] if func.Func.isa(op)]
    kernels = {
        func.Func(function).sym_name: _ops(function)
        for function in functions
        if "tloop.kernel" in function.attributes
    }
    return [
        _group(func.Func(host).sym_name, tloop.Launch(op), kernels[tloop.Launch(op).kernel])
        for host in functions
        if is_host(host)
        for op in inner_ops(host)
        if tloop.Launch.isa(op)
    ]


def _ops(kernel: ir.Operation) -> list[str]:
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations]
    return [op.name for op in ops if op.results and not ConstantValues.defines(op)]


def _group(function: str, launch: tloop.Launch, names: Sequence[str]) -> KernelGroup:
    anchor = next(
        (name for anchors in (PRODUCTS | WINDOWS, ROWS, REDUCTIONS) for name in names if name in anchors),
        names[0],
    )
    joined = list(names)
    joined.remove(anchor)
    return KernelGroup(
        function,
        launch.kernel,
        anchor.removeprefix("graph."),
        tuple(name.removeprefix("graph.") for name in joined),
        names_in(str(launch.operation.location)),
    )
