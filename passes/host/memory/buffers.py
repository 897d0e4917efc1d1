"""Buffers of a host function, their parts and live ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mlc.bindings import func, ir
from mlc.dialects.graph.dims.function_dims import named_dims
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.sizes import Size, product
from mlc.passes.base import PassError
from mlc.passes.common.constants import i8
from mlc.passes.common.rewriting import terminator_of


def sizes_of(value: ir.Value) -> list[int | Size]:
    """The dims of a tensor value. Raises PassError for an unknown dim."""
    sizes = [dim for dim in named_dims(value) if dim is not None]
    if len(sizes) != value.type.rank:
        raise PassError(f"unknown dims of this {value.type}", value.location)
    return sizes


def tensor_bytes(value: ir.Value) -> Any:
    """Bytes of a tensor; typed Any: an int where all dims are ints, else a `Size`."""
    return product(sizes_of(value)) * element_bytes(str(value.type.element_type))


def memref_of(tensor_type: ir.Type) -> ir.MemRefType:
    """The type of the buffer of a tensor."""
    tensor = ir.RankedTensorType(tensor_type)
    return ir.MemRefType.get(list(tensor.shape), tensor.element_type)


def memref_type(element: ir.Type, sizes: Sequence[int | Size]) -> ir.MemRefType:
    """The type of a buffer of an element type and sizes."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return ir.MemRefType.get([size if isinstance(size, int) else dynamic for size in sizes], element)


def build_on_buffers(
    old: ir.Operation, weights: Sequence[ir.Value], arena_bytes: int = 0
) -> tuple[func.FuncOp, list[list[ir.Value]]]:
    """Builds a function without ops before one on tensors; returns it and its arguments: the buffers of
    inputs, results and weights, and the arena."""
    block = func.Func(old).entry_block
    groups = [list(block.arguments), list(terminator_of(block).operands), weights]
    types = [memref_of(value.type) for group in groups for value in group]
    type_ = ir.FunctionType.get([*types, ir.MemRefType.get([arena_bytes], i8())], [])
    made = func.FuncOp(func.Func(old).sym_name, type_, loc=old.location, ip=ir.InsertionPoint(old))
    rest = iter(made.add_entry_block().arguments)
    return made, [*(list(islice(rest, len(group))) for group in groups), list(rest)]


@dataclass(frozen=True)
class MovingRow:
    """The begin of a part of a buffer that depends on a loop's iteration: row `first + step * iteration` of
    `count` rows, each of `size` bytes; the last one for indices beyond."""

    iteration: ir.Value
    first: int
    step: int
    count: int | Size
    size: int | Size


@dataclass(eq=False)
class PlannedBuffer:
    """Memory of a tensor, written first at step `first`, used last at step `last`.

    `argument` is ("input" | "output" | "weight", index) for buffers that are arguments, None for others. A
    buffer that is a part of another has its `parent`, and begins `offset` bytes after its begin, in `row` of
    it if that is given. Memory whose size is only known in a body is passed on by control flow: it is
    `received` by results and arguments of a body, and `given` to control flow by the end of a body or as an
    initial value.
    """

    value: ir.Value
    first: int
    last: int
    argument: tuple[str, int] | None = None
    received: bool = False
    given: bool = False
    parent: PlannedBuffer | None = None
    offset: int = 0
    row: MovingRow | None = None

    def __post_init__(self) -> None:
        self.size = tensor_bytes(self.value)

    def root(self) -> BufferSlice:
        """The outermost buffer, from the begin of this one on."""
        buffer, offset, rows = self, 0, list[MovingRow]()
        while buffer.parent is not None:
            offset += buffer.offset
            rows += [buffer.row] if buffer.row else []
            buffer = buffer.parent
        return BufferSlice(buffer, offset, tuple(rows))

    def put_into(self, parent: PlannedBuffer, offset: int = 0, row: MovingRow | None = None) -> None:
        """Makes this buffer, a root, a part of another one."""
        self.parent, self.offset, self.row = parent, offset, row
        above: PlannedBuffer | None = parent
        while above is not None:
            above.first, above.last = min(above.first, self.first), max(above.last, self.last)
            above.given |= self.given
            above = above.parent


@dataclass(frozen=True)
class BufferSlice:
    """A part of a buffer, which begins `begin` bytes, and these rows, after the buffer's begin."""

    buffer: PlannedBuffer
    begin: int = 0
    rows: tuple[MovingRow, ...] = ()

    def part(self, offset: int, *rows: MovingRow) -> BufferSlice:
        """The part that begins `offset` bytes, and rows, after the begin of this one."""
        return BufferSlice(self.buffer, self.begin + offset, (*self.rows, *rows))

    def in_root(self) -> BufferSlice:
        """The same part, of the outermost buffer."""
        root = self.buffer.root()
        return root.part(self.begin, *self.rows)

    @property
    def is_begin(self) -> bool:
        """Whether it is at the buffer's begin."""
        return not self.begin and not self.rows


@dataclass(frozen=True)
class BufferCopy:
    """A value that must be copied to a part of a buffer."""

    value: ir.Value
    target: BufferSlice


@dataclass(frozen=True)
class PassedMemory:
    """The memory of a value, a separate buffer, that control flow passes on to `receiver`."""

    value: ir.Value
    buffer: PlannedBuffer
    receiver: ir.Value
