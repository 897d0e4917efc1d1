"""Buffers of a host function: what shares memory with what, and for how long."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects.graph.elements import element_bytes


def tensor_bytes(value: ir.Value) -> int:
    """Bytes of a tensor of static shape."""
    kind = ir.RankedTensorType(value.type)
    count = 1
    for extent in kind.shape:
        count *= extent
    return count * element_bytes(str(kind.element_type))


@dataclass(frozen=True)
class MovingRow:
    """Where a part of a buffer begins that moves as a loop runs: row `first + step * iteration` of `count`
    rows, each of `size` bytes; the last one for numbers beyond."""

    iteration: ir.Value
    first: int
    step: int
    count: int
    size: int


@dataclass(eq=False)
class PlannedBuffer:
    """`size` bytes, written first at step `first`, used last at step `last`.

    `place` is ("input" | "output" | "weight", index) for buffers that are arguments, None in the arena. A
    buffer that is a part of another has its `parent`, and lies `offset` bytes behind its begin, in `row` of
    it where that is given.
    """

    size: int
    first: int
    last: int
    place: tuple[str, int] | None = None
    parent: PlannedBuffer | None = None
    offset: int = 0
    row: MovingRow | None = None

    def root(self) -> BufferSlice:
        """The outermost buffer, and where in it this one begins."""
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
            above = above.parent


@dataclass(frozen=True)
class BufferSlice:
    """What begins `begin` bytes, and then these rows, behind the begin of a buffer."""

    buffer: PlannedBuffer
    begin: int = 0
    rows: tuple[MovingRow, ...] = ()

    def part(self, offset: int, *rows: MovingRow) -> BufferSlice:
        """What begins so far behind this."""
        return BufferSlice(self.buffer, self.begin + offset, (*self.rows, *rows))

    def in_root(self) -> BufferSlice:
        """The same place in the outermost buffer."""
        root = self.buffer.root()
        return root.part(self.begin, *self.rows)

    @property
    def is_begin(self) -> bool:
        """Whether it is at the buffer's begin."""
        return not self.begin and not self.rows


@dataclass(frozen=True)
class BufferCopy:
    """A value that must be copied to where another one lies, or `offset` elements behind its begin, in
    `row`."""

    value: ir.Value
    target: ir.Value
    offset: int = 0
    row: MovingRow | None = None
