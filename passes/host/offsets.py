"""Where the buffers of a planned host function lie."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassFailure
from mlc.passes.common.rewriting import collect_ops, defining_op

# What a planned host function does. `gpu.memcpy` are transfers beside launches, for which `gpu.wait` waits.
STEPS = ("tloop.launch_into", "memref.copy", "gpu.memcpy", "gpu.wait")
# Around the steps: control flow, and the numbers and truth values that it needs.
CONTROL = ("scf.for", "scf.while", "scf.if", "scf.condition", "scf.yield")
SCALARS = (
    "arith.addi", "arith.andi", "arith.cmpi", "arith.constant", "arith.index_cast", "arith.minui",
    "arith.muli", "arith.select", "arith.subi", "memref.load", "memref.store",
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A buffer as an argument's index and an offset in bytes; where it moves in a loop, `moved` says how many
    times `width` bytes it lies behind that."""

    argument: int
    offset: int = 0
    moved: ir.Value | None = None
    width: int = 1


def places_of(function: ir.Operation) -> dict[ir.Value, Place]:
    """The place of every memref of the function. Raises PassFailure unless host-plan-memory made it."""
    kind = function.attributes["function_type"].value
    if kind.results or not all(isinstance(each, ir.MemRefType) for each in kind.inputs):
        raise PassFailure(
            "the host function is not on buffers; run host-plan-memory first", function.location
        )
    block = function.regions[0].blocks[0]
    places = {argument: Place(index) for index, argument in enumerate(block.arguments)}
    for op in collect_ops(function):
        if op.name == "memref.view":
            places[op.results[0]] = _behind(places[op.operands[0]], op.operands[1], 1)
        elif op.name == "memref.reinterpret_cast":
            source, (first,) = places[op.operands[0]], op.attributes["static_offsets"]
            width = element_bytes(str(op.results[0].type.element_type))
            moves = first == ir.ShapedType.get_dynamic_stride_or_offset()
            places[op.results[0]] = (
                _behind(source, op.operands[1], width)
                if moves
                else Place(source.argument, source.offset + first * width)
            )
        elif op.name not in (*STEPS, *CONTROL, *SCALARS, "func.return"):
            raise PassFailure(f"'{op.name}' cannot be part of a host function", op.location)
    return places


def _behind(source: Place, count: ir.Value, width: int) -> Place:
    """The place that lies a number of times `width` bytes behind another."""
    constant = defining_op(count, "arith.constant")
    if constant is None:
        return Place(source.argument, source.offset, count, width)
    return Place(source.argument, source.offset + constant.attributes["value"].value * width)
