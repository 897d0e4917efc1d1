"""host-insert-transfers: separate ops move values between the memories of devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph, tloop
from mlc.dialects.tloop import TransferOp
from mlc.passes.base import Pass, PassError
from mlc.passes.common.kernel_functions import CPU, GPU, HOST, device_of_kernel, is_kernel
from mlc.passes.common.rewriting import collect_ops, defining_op
from mlc.passes.graph.common.views import CONSTANTS, is_view, viewed_buffer
from mlc.passes.graph.fusion.form_kernels import is_host


def insert_transfers(function: ir.Operation, devices: dict[str, str]) -> None:
    """Transfers the operands of launches, and of ops of the host, to memory that they can read; `devices` are
    those of the kernels by name."""
    program = GPU if CPU in devices.values() else HOST
    for op in [inner.operation for inner in func.Func(function).entry_block]:
        if op.name in CONSTANTS or is_view(op):
            continue
        device = devices.get(tloop.Launch(op).kernel, HOST) if tloop.Launch.isa(op) else HOST
        for index, value in enumerate(op.operands):
            if not _is_there(value, device, devices):
                to = ir.StringAttr.get(program if device == HOST else device)
                with ir.InsertionPoint(op), op.location:
                    op.operands[index] = TransferOp(to, value, value.type).copy


def _refuse_bodies(function: ir.Operation) -> None:
    """Raises PassError for control flow: values would move in and out of its bodies."""
    for op in collect_ops(function, graph.CONTROL_OPS):
        raise PassError(f"'{op.name}' cannot be part of a program on two devices", op.location)


def _is_there(value: ir.Value, device: str, devices: dict[str, str]) -> bool:
    """Whether a value is in the memory of `device`: that of the launch that computes it, else the host's. A
    program on a GPU has weights of the processor's kernels in the processor's memory."""
    op = defining_op(viewed_buffer(value))
    if op is not None and tloop.Launch.isa(op):
        return devices.get(tloop.Launch(op).kernel, HOST) == device
    return device == HOST or (device == CPU and op is not None and op.name in CONSTANTS)


@dataclass(frozen=True)
class InsertTransfers(Pass):
    """Insert a `tloop.transfer` wherever a launch reads a value in another device's memory, and where the
    host needs a device's result. Inputs, weights and results are in the host's memory. In a program of a GPU
    they are in the GPU's, and transfers move operands of kernels on the processor (`tloop.device = "cpu"`),
    but not weights, and their results."""

    name: ClassVar[str] = "host-insert-transfers"

    def run(self, op: ir.Operation) -> bool:
        functions = [inner.operation for inner in op.regions[0].blocks[0] if func.Func.isa(inner)]
        kernels = filter(is_kernel, functions)
        devices = {func.Func(kernel).sym_name: device_of_kernel(kernel) for kernel in kernels}
        if set(devices.values()) <= {HOST}:
            return False
        for function in filter(is_host, functions):
            _refuse_bodies(function)
            insert_transfers(function, devices)
        return True
