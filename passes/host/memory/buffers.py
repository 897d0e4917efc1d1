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
class Row:
    """Where a part of a buffer begins that moves as a loop runs: row `first + step * iteration` of `count`
    rows, each of `size` bytes; the last one for numbers beyond."""

    iteration: ir.Value
    first: int
    step: int
    count: int
    size: int


@dataclass(eq=False)
class Buffer:
    """`size` bytes, written first at step `first`, used last at step `last`.

    `place` is ("input" | "output" | "weight", index) for buffers that are arguments, None in the arena. A
    buffer that is a part of another has its `parent`, and lies `offset` bytes behind its begin, in `row` of
    it where that is given.
    """

    size: int
    first: int
    last: int
    place: tuple[str, int] | None = None
    parent: Buffer | None = None
    offset: int = 0
    row: Row | None = None

    def root(self) -> Part:
        """The outermost buffer, and where in it this one begins."""
        buffer, offset, rows = self, 0, list[Row]()
        while buffer.parent is not None:
            offset += buffer.offset
            rows += [buffer.row] if buffer.row else []
            buffer = buffer.parent
        return Part(buffer, offset, tuple(rows))

    def put_into(self, parent: Buffer, offset: int = 0, row: Row | None = None) -> None:
        """Makes this buffer, a root, a part of another one."""
        self.parent, self.offset, self.row = parent, offset, row
        above: Buffer | None = parent
        while above is not None:
            above.first, above.last = min(above.first, self.first), max(above.last, self.last)
            above = above.parent


@dataclass(frozen=True)
class Part:
    """What begins `begin` bytes, and then these rows, behind the begin of a buffer."""

    buffer: Buffer
    begin: int = 0
    rows: tuple[Row, ...] = ()

    def part(self, offset: int, *rows: Row) -> Part:
        """What begins so far behind this."""
        return Part(self.buffer, self.begin + offset, (*self.rows, *rows))

    def in_root(self) -> Part:
        """The same place in the outermost buffer."""
        root = self.buffer.root()
        return root.part(self.begin, *self.rows)

    @property
    def is_begin(self) -> bool:
        """Whether it is at the buffer's begin."""
        return not self.begin and not self.rows


@dataclass(frozen=True)
class Move:
    """A value that must be copied to where another one lies, or `offset` elements behind its begin, in
    `row`."""

    value: ir.Value
    target: ir.Value
    offset: int = 0
    row: Row | None = None
