"""The addresses of the buffers of a planned host function without control flow."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, func, gpu, ir, memref, scf
from mlc.dialects import tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import collect_ops

# The steps of a planned host function. `gpu.memcpy` are transfers in flight, for which `gpu.wait` waits.
STEPS = (
    tloop.LaunchInto.NAME,
    *tloop.DATA_CHECKS,
    memref.Copy.NAME,
    gpu.Memcpy.NAME,
    gpu.Wait.NAME,
)
CONTROL = (scf.For.NAME, scf.While.NAME, scf.If.NAME)


@dataclass(frozen=True)
class BufferAddress:
    """A buffer as an argument's index and an offset in bytes."""

    argument: int
    offset: int = 0


def buffer_addresses(function: ir.Operation) -> dict[ir.Value, BufferAddress]:
    """Returns the address of every memref of the function. Raises PassError unless host-plan-memory made
    it."""
    type_ = func.Func(function).function_type
    if type_.results or not all(isinstance(operand, ir.MemRefType) for operand in type_.inputs):
        raise PassError("the host function is not on buffers; run host-plan-memory first", function.location)
    arguments = func.Func(function).arguments
    addresses = {argument: BufferAddress(index) for index, argument in enumerate(arguments)}
    for op in collect_ops(function):
        if view := memref.View.match(op):
            source, shift = addresses[view.source], arith.Constant(view.byte_shift.owner).value.value
            addresses[op.result] = BufferAddress(source.argument, source.offset + shift)
        elif cast := memref.ReinterpretCast.match(op):
            source, (first,) = addresses[cast.source], cast.static_offsets
            width = element_bytes(str(cast.result.type.element_type))
            addresses[cast.result] = BufferAddress(source.argument, source.offset + first * width)
        elif op.name not in (*STEPS, arith.Constant.NAME, func.Return.NAME):
            raise PassError(f"'{op.name}' cannot be part of a host function", op.location)
    return addresses
