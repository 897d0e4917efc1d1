"""A program of the machine under construction: places in the scratchpad, and calls of the simulator."""

from __future__ import annotations

from math import prod

from mlc.bindings import arith, func, ir
from mlc.passes.base import PassError
from tiny_npu.machine import ALIGNMENT, SCRATCHPAD_BYTES
from tiny_npu.vector_unit import element_bytes


class NpuProgram:
    """One kernel's. `functions` are those that it calls, with their numbers of arguments."""

    def __init__(self) -> None:
        self.functions: dict[str, int] = {}
        self._addresses: dict[ir.Value, int] = {}
        self._end = 0

    def place(self, buffer: ir.Value) -> None:
        """Gives a buffer of the kernel a place in the scratchpad. Raises PassError if nothing is left."""
        kind = ir.MemRefType(buffer.type)
        self._addresses[buffer] = self.reserve(list(kind.shape), kind.element_type, buffer.owner.location)

    def reserve(self, shape: list[int], element: ir.Type, location: ir.Location) -> int:
        """The address of new room in the scratchpad. Raises PassError."""
        size = element_bytes(element)
        if size is None:
            raise PassError(f"tiny-npu has no numbers of type {element}", location)
        start = self._end
        self._end = start + -(-prod(shape) * size // ALIGNMENT) * ALIGNMENT
        if self._end > SCRATCHPAD_BYTES:
            raise PassError(
                f"the kernel needs more than the {SCRATCHPAD_BYTES} bytes of tiny-npu's scratchpad", location
            )
        return start

    def is_placed(self, value: ir.Value) -> bool:
        """Whether `value` is a buffer in the scratchpad."""
        return value in self._addresses

    def address(self, value: ir.Value, user: ir.Operation) -> int:
        """The address of a buffer that `user` works on. Raises PassError for one in main memory."""
        if value not in self._addresses:
            raise PassError(
                f"'{user.name}' works on a {value.type} in main memory; only DMA reaches that", user.location
            )
        return self._addresses[value]

    def call(self, function: str, *arguments: int | ir.Value) -> None:
        """Calls a function of the simulator, where the insertion point is; numbers become constants."""
        self.functions[function] = len(arguments)
        values = [index(argument) if isinstance(argument, int) else argument for argument in arguments]
        func.CallOp([], function, values)


def index(number: int) -> ir.Value:
    """A constant of type `index`."""
    return arith.constant(ir.IndexType.get(), number)


def declare(module: ir.Operation, functions: dict[str, int]) -> None:
    """Declares functions of the simulator, which take numbers of 64 bits."""
    for name, count in functions.items():
        kind = ir.FunctionType.get([ir.IndexType.get()] * count, [])
        with ir.InsertionPoint(module.regions[0].blocks[0]), module.location:
            func.FuncOp(name, kind, visibility="private")
