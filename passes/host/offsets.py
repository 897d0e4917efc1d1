"""Where the buffers of a planned host function lie."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, func, gpu, ir, memref, scf
from mlc.dialects import tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import collect_ops

# What a planned host function does. `gpu.memcpy` are transfers beside launches, for which `gpu.wait` waits.
STEPS = (tloop.LaunchInto.NAME, memref.Copy.NAME, gpu.Memcpy.NAME, gpu.Wait.NAME)
# Around the steps: control flow, and the numbers and truth values that it needs.
CONTROL = (scf.For.NAME, scf.While.NAME, scf.If.NAME, scf.Condition.NAME, scf.Yield.NAME)
SCALARS = (
    arith.AddI.NAME, arith.AndI.NAME, arith.CmpI.NAME, arith.Constant.NAME, arith.IndexCast.NAME,
    arith.MinUI.NAME, arith.MulI.NAME, arith.Select.NAME, arith.SubI.NAME, memref.Load.NAME,
    memref.Store.NAME,
)  # fmt: skip


@dataclass(frozen=True)
class BufferAddress:
    """A buffer as an argument's index and an offset in bytes; where it moves in a loop, `moved` says how many
    times `width` bytes it lies behind that."""

    argument: int
    offset: int = 0
    moved: ir.Value | None = None
    width: int = 1


def places_of(function: ir.Operation) -> dict[ir.Value, BufferAddress]:
    """The place of every memref of the function. Raises PassError unless host-plan-memory made it."""
    kind = function.attributes["function_type"].value
    if kind.results or not all(isinstance(each, ir.MemRefType) for each in kind.inputs):
        raise PassError("the host function is not on buffers; run host-plan-memory first", function.location)
    block = function.regions[0].blocks[0]
    places = {argument: BufferAddress(index) for index, argument in enumerate(block.arguments)}
    for op in collect_ops(function):
        if op.name == memref.View.NAME:
            places[op.results[0]] = _behind(places[memref.View(op).source], memref.View(op).byte_shift, 1)
        elif op.name == memref.ReinterpretCast.NAME:
            source, (first,) = places[memref.ReinterpretCast(op).source], op.attributes["static_offsets"]
            width = element_bytes(str(memref.ReinterpretCast(op).result.type.element_type))
            moves = first == ir.ShapedType.get_dynamic_stride_or_offset()
            places[memref.ReinterpretCast(op).result] = (
                _behind(source, op.operands[1], width)
                if moves
                else BufferAddress(source.argument, source.offset + first * width)
            )
        elif op.name not in (*STEPS, *CONTROL, *SCALARS, func.Return.NAME):
            raise PassError(f"'{op.name}' cannot be part of a host function", op.location)
    return places


def _behind(source: BufferAddress, count: ir.Value, width: int) -> BufferAddress:
    """The place that lies a number of times `width` bytes behind another."""
    constant = arith.Constant.defining(count)
    if constant is None:
        return BufferAddress(source.argument, source.offset, count, width)
    return BufferAddress(source.argument, source.offset + constant.value.value * width)
