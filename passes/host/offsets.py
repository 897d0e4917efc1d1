"""The addresses of the buffers of a planned host function."""

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
# Control flow around the steps, and the ops on integers and booleans that it needs.
CONTROL = (scf.For.NAME, scf.While.NAME, scf.If.NAME, scf.Condition.NAME, scf.Yield.NAME)
SCALARS = (
    arith.AddI.NAME, arith.AndI.NAME, arith.CmpI.NAME, arith.Constant.NAME, arith.IndexCast.NAME,
    arith.MinUI.NAME, arith.MulI.NAME, arith.Select.NAME, arith.SubI.NAME, memref.Load.NAME,
    memref.Store.NAME,
)  # fmt: skip


@dataclass(frozen=True)
class BufferAddress:
    """A buffer as an argument's index and an offset in bytes, plus `index * width` bytes for one that moves
    in a loop."""

    argument: int
    offset: int = 0
    index: ir.Value | None = None
    width: int = 1


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
            addresses[op.result] = _add(addresses[view.source], view.byte_shift, 1)
        elif cast := memref.ReinterpretCast.match(op):
            source, (first,) = addresses[cast.source], cast.static_offsets
            width = element_bytes(str(cast.result.type.element_type))
            addresses[cast.result] = (
                _add(source, cast.offsets[0], width)
                if cast.offsets
                else BufferAddress(source.argument, source.offset + first * width)
            )
        elif op.name not in (*STEPS, *CONTROL, *SCALARS, func.Return.NAME):
            raise PassError(f"'{op.name}' cannot be part of a host function", op.location)
    return addresses


def _add(source: BufferAddress, count: ir.Value, width: int) -> BufferAddress:
    """Returns the address `count * width` bytes after another."""
    constant = arith.Constant.defining(count)
    if constant is None:
        return BufferAddress(source.argument, source.offset, count, width)
    return BufferAddress(source.argument, source.offset + constant.value.value * width)
