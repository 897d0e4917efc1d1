"""Elementwise computations on tiles as instructions of the vector unit, one for each scalar op."""

from __future__ import annotations

import struct
from math import prod

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation
from mlc.passes.common.rewriting import defining_op
from tiny_npu.calls import Program
from tiny_npu.vector_unit import element_bytes, is_spread, vector_function


class ScratchpadTile:
    """An elementwise computation on a tile of `rows` x `columns`; `places` are the addresses of what its body
    computes with."""

    def __init__(self, op: ir.Operation, program: Program) -> None:
        self.op, self.program = op, program
        self.result = op.operands[len(op.operands) - 1]
        self.shape = list(ir.MemRefType(self.result.type).shape)
        self.places: dict[ir.Value, int] = {}

    def room(self, element: ir.Type) -> int:
        """A place for a tile of such elements."""
        return self.program.reserve(self.shape, element, self.op.location)

    def operand(self, value: ir.Value) -> int:
        """Where an operand of the body's ops lies; constants are written first."""
        if value not in self.places:
            self.places[value] = self.room(value.type)
            self.fill(self.places[value], value)
        return self.places[value]

    def fill(self, to: int, value: ir.Value) -> None:
        """Writes a constant to each element. Raises PassError for anything else."""
        constant = defining_op(value, "arith.constant")
        size = element_bytes(value.type)
        if constant is None or size is None:
            raise PassError("the vector unit takes constants and elements of tiles only", self.op.location)
        bits = _bits(constant.attributes["value"], value.type)
        self.program.call("npu_vector_fill", to, bits, size, prod(self.shape))


def lower_elementwise(op: ir.Operation, program: Program) -> None:
    """A `linalg.generic` without reductions on buffers in the scratchpad. Raises PassError."""
    tile = ScratchpadTile(op, program)
    body = op.regions[0].blocks[0]
    _read_operands(tile, body)
    to = program.address(tile.result, op)
    *ops, last = [each.operation for each in body]
    result = last.operands[0]
    for each in ops:
        function = vector_function(each)
        if function is None:
            raise PassError(f"the vector unit does not compute '{each.name}'", op.location)
        arguments = [tile.operand(value) for value in each.operands]
        written = each.results[0]
        tile.places[written] = to if written == result else tile.room(written.type)
        program.call(function, tile.places[written], *arguments, prod(tile.shape))
    if tile.places.get(result) != to:
        _write(tile, to, result)


def _read_operands(tile: ScratchpadTile, body: ir.Block) -> None:
    """Places of the inputs; a row that all rows read becomes a tile."""
    computation = Computation(tile.op)
    for value, each, argument in zip(computation.inputs, computation.maps, body.arguments, strict=False):
        place = tile.program.address(value, tile.op)
        if is_spread(each):
            *rows, columns = tile.shape
            row, place = place, tile.room(argument.type)
            size = element_bytes(argument.type) or 0
            tile.program.call("npu_vector_spread", place, row, size, columns, prod(rows))
        tile.places[argument] = place


def _write(tile: ScratchpadTile, to: int, result: ir.Value) -> None:
    """The result is an operand or a constant."""
    size = element_bytes(result.type) or 0
    if result in tile.places:
        tile.program.call("npu_vector_move", to, tile.places[result], size, prod(tile.shape))
    else:
        tile.fill(to, result)


def _bits(attribute: ir.Attribute, kind: ir.Type) -> int:
    """A constant as the number that its bits are."""
    if isinstance(kind, ir.IntegerType):
        return ir.IntegerAttr(attribute).value
    codes = {"f16": "<e", "f32": "<f"}
    value = struct.pack(codes[str(kind)], ir.FloatAttr(attribute).value)
    return int.from_bytes(value, "little")
