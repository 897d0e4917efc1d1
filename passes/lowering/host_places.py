"""Where the buffers of a planned host function lie."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassFailure

# What a planned host function does. `gpu.memcpy` are transfers beside launches, for which `gpu.wait` waits.
STEPS = ("tloop.launch_into", "memref.copy", "gpu.memcpy", "gpu.wait")


@dataclass(frozen=True)
class Place:
    """A buffer as an argument's index and an offset in bytes."""

    argument: int
    offset: int = 0


def places_of(function: ir.Operation) -> dict[ir.Value, Place]:
    """The place of every memref of the function. Raises PassFailure unless host-plan-memory made it."""
    kind = function.attributes["function_type"].value
    if kind.results or not all(isinstance(each, ir.MemRefType) for each in kind.inputs):
        raise PassFailure(
            "the host function is not on buffers; run host-plan-memory first", function.location
        )
    block = function.regions[0].blocks[0]
    places = {argument: Place(index) for index, argument in enumerate(block.arguments)}
    for op in [each.operation for each in block.operations]:
        if op.name == "memref.view":
            offset = op.operands[1].owner.operation.attributes["value"].value
            places[op.results[0]] = Place(places[op.operands[0]].argument, offset)
        elif op.name == "memref.reinterpret_cast":
            source, (first,) = places[op.operands[0]], op.attributes["static_offsets"]
            width = element_bytes(str(op.results[0].type.element_type))
            places[op.results[0]] = Place(source.argument, source.offset + first * width)
        elif op.name not in ("arith.constant", *STEPS, "func.return"):
            raise PassFailure(f"'{op.name}' cannot be part of a host function", op.location)
    return places
