"""Builds a program of the machine: allocates in the scratchpad and emits calls of the simulator."""

from __future__ import annotations

from math import prod

from mlc.bindings import arith, func, ir
from mlc.passes.base import PassError
from tiny_npu.machine import ALIGNMENT, SCRATCHPAD_BYTES
from tiny_npu.vector_unit import element_bytes


class NpuProgram:
    """The program of one kernel. `functions` maps the functions that it calls to their argument counts."""

    def __init__(self) -> None:
        self.functions: dict[str, int] = {}
        self._addresses: dict[ir.Value, int] = {}
        self._end = 0

    def allocate(self, buffer: ir.Value) -> None:
        """Allocates a buffer of the kernel in the scratchpad. Raises PassError if nothing is left."""
        memref = ir.MemRefType(buffer.type)
        self._addresses[buffer] = self.reserve(list(memref.shape), memref.element_type, buffer.owner.location)

    def reserve(self, shape: list[int], element: ir.Type, location: ir.Location) -> int:
        """Returns the address of a free region for a tile. Raises PassError if the scratchpad is full."""
        size = element_bytes(element)
        if size is None:
            raise PassError(f"tiny-npu has no elements of type {element}", location)
        start = self._end
        self._end = start + -(-prod(shape) * size // ALIGNMENT) * ALIGNMENT
        if self._end > SCRATCHPAD_BYTES:
            raise PassError(
                f"the kernel needs more than the {SCRATCHPAD_BYTES} bytes of tiny-npu's scratchpad", location
            )
        return start

    def is_allocated(self, value: ir.Value) -> bool:
        """Whether `value` is a buffer in the scratchpad."""
        return value in self._addresses

    def address(self, value: ir.Value, user: ir.Operation) -> int:
        """Returns the address of a buffer that `user` reads or writes. Raises PassError for main memory."""
        if value not in self._addresses:
            raise PassError(
                f"'{user.name}' works on a {value.type} in main memory; only DMA reaches that", user.location
            )
        return self._addresses[value]

    def call(self, function: str, *arguments: int | ir.Value) -> None:
        """Emits a call of a function of the simulator at the insertion point; integers become constants."""
        self.functions[function] = len(arguments)
        values = [index(argument) if isinstance(argument, int) else argument for argument in arguments]
        func.CallOp([], function, values)


def index(value: int) -> ir.Value:
    """Returns a constant of type `index`."""
    return arith.constant(ir.IndexType.get(), value)


def declare(module: ir.Operation, functions: dict[str, int]) -> None:
    """Declares functions of the simulator, whose arguments are indices of 64 bits."""
    for name, count in functions.items():
        signature = ir.FunctionType.get([ir.IndexType.get()] * count, [])
        with ir.InsertionPoint(module.regions[0].blocks[0]), module.location:
            func.FuncOp(name, signature, visibility="private")
