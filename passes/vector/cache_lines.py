"""Cache lines of buffers, and prefetches of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlc.bindings import ir, memref
from mlc.passes.vector.index_offsets import offset_by

CACHE_LINE_BYTES = 64
# The cache that a prefetch brings a line to, as `llvm.prefetch` counts.
L1, L2 = 3, 2


def bytes_per_element(buffer: ir.Value) -> int:
    """Returns the bytes of an element of the buffer."""
    return max(1, ir.MemRefType(buffer.type).element_type.width // 8)


def elements_per_line(buffer: ir.Value) -> int:
    """Returns the elements of the buffer in a cache line."""
    return max(1, CACHE_LINE_BYTES // bytes_per_element(buffer))


def prefetch_lines(
    buffer: ir.Value, indices: Sequence[ir.Value], offsets: Iterable[int], locality: int
) -> None:
    """Prefetches the lines of the elements that are `offsets` after the one at `indices`, along the last dim.
    A prefetch beyond the end of the buffer does nothing."""
    *outer, last = indices
    for offset in offsets:
        index = offset_by(last, offset) if offset else last
        memref.PrefetchOp(buffer, [*outer, index], False, locality, True)
