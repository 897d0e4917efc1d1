"""Lowers elementwise computations on tiles to instructions of the vector unit, one for each scalar op."""

from __future__ import annotations

import struct
from math import prod

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation
from mlc.passes.common.rewriting import defining_op
from tiny_npu.calls import NpuProgram
from tiny_npu.vector_unit import element_bytes, is_spread, vector_function


class ScratchpadTile:
    """An elementwise computation on a tile of `shape`; `addresses` has those of the values of its body."""

    def __init__(self, op: ir.Operation, program: NpuProgram) -> None:
        self.op, self.program = op, program
        self.result = op.operands[len(op.operands) - 1]
        self.shape = list(ir.MemRefType(self.result.type).shape)
        self.addresses: dict[ir.Value, int] = {}

    def allocate(self, element: ir.Type) -> int:
        """Returns the address of a new tile with elements of this type."""
        return self.program.reserve(self.shape, element, self.op.location)

    def operand(self, value: ir.Value) -> int:
        """Returns the address of an operand of the body's ops; constants are written first."""
        if value not in self.addresses:
            self.addresses[value] = self.allocate(value.type)
            self.fill(self.addresses[value], value)
        return self.addresses[value]

    def fill(self, to: int, value: ir.Value) -> None:
        """Writes a constant to each element. Raises PassError for anything else."""
        constant = defining_op(value, "arith.constant")
        size = element_bytes(value.type)
        if constant is None or size is None:
            raise PassError("the vector unit takes constants and elements of tiles only", self.op.location)
        bits = _bits(constant.attributes["value"], value.type)
        self.program.call("npu_vector_fill", to, bits, size, prod(self.shape))


def lower_elementwise(op: ir.Operation, program: NpuProgram) -> None:
    """Lowers a `linalg.generic` without reductions on buffers in the scratchpad. Raises PassError."""
    tile = ScratchpadTile(op, program)
    body = op.regions[0].blocks[0]
    _read_operands(tile, body)
    to = program.address(tile.result, op)
    *scalar_ops, yield_op = [view.operation for view in body]
    result = yield_op.operands[0]
    for scalar_op in scalar_ops:
        function = vector_function(scalar_op)
        if function is None:
            raise PassError(f"the vector unit does not compute '{scalar_op.name}'", op.location)
        arguments = [tile.operand(value) for value in scalar_op.operands]
        written = scalar_op.results[0]
        tile.addresses[written] = to if written == result else tile.allocate(written.type)
        program.call(function, tile.addresses[written], *arguments, prod(tile.shape))
    if tile.addresses.get(result) != to:
        _write(tile, to, result)


def _read_operands(tile: ScratchpadTile, body: ir.Block) -> None:
    """Sets the addresses of the inputs; a row that is broadcast over the rows becomes a tile."""
    computation = Computation(tile.op)
    inputs = zip(computation.inputs, computation.maps, body.arguments, strict=False)
    for value, indexing_map, argument in inputs:
        address = tile.program.address(value, tile.op)
        if is_spread(indexing_map):
            *rows, columns = tile.shape
            row, address = address, tile.allocate(argument.type)
            size = element_bytes(argument.type) or 0
            tile.program.call("npu_vector_spread", address, row, size, columns, prod(rows))
        tile.addresses[argument] = address


def _write(tile: ScratchpadTile, to: int, result: ir.Value) -> None:
    """Writes a result that is an operand or a constant."""
    size = element_bytes(result.type) or 0
    if result in tile.addresses:
        tile.program.call("npu_vector_move", to, tile.addresses[result], size, prod(tile.shape))
    else:
        tile.fill(to, result)


def _bits(attribute: ir.Attribute, element: ir.Type) -> int:
    """Returns the bits of a constant as an unsigned integer."""
    if isinstance(element, ir.IntegerType):
        return ir.IntegerAttr(attribute).value
    codes = {"f16": "<e", "f32": "<f"}
    value = struct.pack(codes[str(element)], ir.FloatAttr(attribute).value)
    return int.from_bytes(value, "little")
