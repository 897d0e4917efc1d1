"""host-insert-transfers: values move between the memories of devices by ops of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph, tloop
from mlc.dialects.tloop import TransferOp
from mlc.passes.base import Pass, PassError
from mlc.passes.common.kernel_functions import CPU, GPU, HOST, device_of_kernel, is_kernel
from mlc.passes.common.rewriting import collect_ops, defining_op
from mlc.passes.graph.common.views import CONSTANTS, viewed_buffer
from mlc.passes.graph.fusion.form_kernels import is_host
from mlc.passes.host.memory.in_flight import is_view


def insert_transfers(function: ir.Operation, devices: dict[str, str]) -> None:
    """Gives each launch, and each op of the host's, its operands where it can read them; `devices` are those
    of the kernels by name."""
    own = GPU if CPU in devices.values() else HOST
    for op in [each.operation for each in function.regions[0].blocks[0]]:
        if op.name in CONSTANTS or is_view(op):
            continue
        device = devices.get(tloop.Launch(op).kernel, HOST) if op.name == tloop.Launch.NAME else HOST
        for index, value in enumerate(op.operands):
            if not _is_there(value, device, devices):
                to = ir.StringAttr.get(own if device == HOST else device)
                with ir.InsertionPoint(op), op.location:
                    op.operands[index] = TransferOp(to, value, value.type).copy


def _refuse_bodies(function: ir.Operation) -> None:
    """Raises PassError for control flow: values would move in and out of its bodies."""
    for op in collect_ops(function, graph.CONTROL_OPS):
        raise PassError(f"'{op.name}' cannot be part of a program on two devices", op.location)


def _is_there(value: ir.Value, device: str, devices: dict[str, str]) -> bool:
    """Whether a value lies with the launch that computes it, else with the host, and that is `device`. A
    program on a GPU finds weights of the processor's kernels in its memory."""
    op = defining_op(viewed_buffer(value))
    if op is not None and op.name == tloop.Launch.NAME:
        return devices.get(tloop.Launch(op).kernel, HOST) == device
    return device == HOST or (device == CPU and op is not None and op.name in CONSTANTS)


@dataclass(frozen=True)
class InsertTransfers(Pass):
    """Insert a `tloop.transfer` wherever a launch reads what lies in another device's memory, and where the
    host needs what a device has computed. Inputs, weights and results lie with the host. In a program of a
    GPU they lie with it, and what is transferred is what kernels on the processor (`tloop.device = "cpu"`)
    read, but weights, and what they compute."""

    name: ClassVar[str] = "host-insert-transfers"

    def run(self, op: ir.Operation) -> bool:
        functions = [
            each.operation for each in op.regions[0].blocks[0] if each.operation.name == func.Func.NAME
        ]
        kernels = [each for each in functions if is_kernel(each)]
        devices = {kernel.attributes["sym_name"].value: device_of_kernel(kernel) for kernel in kernels}
        if set(devices.values()) <= {HOST}:
            return False
        for function in filter(is_host, functions):
            _refuse_bodies(function)
            insert_transfers(function, devices)
        return True
