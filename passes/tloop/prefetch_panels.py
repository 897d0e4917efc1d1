"""tloop-prefetch-panels: register tiles ask for the vectors of later iterations in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, option
from mlc.passes.rewriting import collect_ops, users
from mlc.passes.tloop.index_offsets import offset_by, split_offset

# Loops that carry fewer rows wait for memory anyway, or read what is in the first cache.
FEWEST_ROWS = 4
CACHE_LINE_BYTES = 64


def panel_reads(loop: ir.Operation) -> list[tuple[ir.Operation, int]]:
    """The reads of an innermost loop over a register tile that advance with it, and the dim along which."""
    body = loop.regions[0].blocks[0]
    if len(loop.results) < FEWEST_ROWS or any(each.operation.regions for each in body):
        return []
    found = []
    for each in body:
        op = each.operation
        if op.name == "vector.transfer_read" and isinstance(op.operands[0].type, ir.MemRefType):
            dim = _advancing_dim(op, body.arguments[0])
            if dim is not None:
                found.append((op, dim))
    return found


def _advancing_dim(read: ir.Operation, induction_variable: ir.Value) -> int | None:
    """The dim that is indexed by the loop's variable, plus a constant or not."""
    rank = ir.MemRefType(read.operands[0].type).rank
    for dim, index in enumerate(list(read.operands)[1 : 1 + rank]):
        if split_offset(index)[0] == (induction_variable,):
            return dim if dim != rank - 1 else None
    return None


def prefetch(read: ir.Operation, dim: int, distance: int) -> None:
    """Prefetches what the read will read `distance` steps of `dim` later, a cache line at a time. Beyond the
    end of the buffer a prefetch does nothing."""
    kind = ir.VectorType(read.results[0].type)
    indices = list(read.operands)[1 : 1 + ir.MemRefType(read.operands[0].type).rank]
    per_line = max(1, CACHE_LINE_BYTES * 8 // kind.element_type.width)
    with ir.InsertionPoint(read), read.location:
        indices[dim] = offset_by(indices[dim], distance)
        for element in range(0, kind.shape[-1], per_line):
            last = offset_by(indices[-1], element) if element else indices[-1]
            _prefetch_line(read.operands[0], [*indices[:-1], last])


def _prefetch_line(source: ir.Value, indices: list[ir.Value]) -> None:
    nearest = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 3)
    attributes = {
        "isWrite": ir.BoolAttr.get(False),
        "isDataCache": ir.BoolAttr.get(True),
        "localityHint": nearest,
    }
    ir.Operation.create("memref.prefetch", [], [source, *indices], attributes)


@dataclass(frozen=True)
class PrefetchPanels(Pass):
    """Prefetch the vectors that the innermost loop of a register tile reads next.

    They stream from the second cache, since all of a layer's weights do not fit the first one.
    """

    name: ClassVar[str] = "tloop-prefetch-panels"
    anchor: ClassVar[str] = "func.func"

    distance: int = option(8, help="rows ahead; 0 prefetches nothing")

    def run(self, op: ir.Operation) -> None:
        if self.distance <= 0:
            return
        for loop in collect_ops(op, "scf.for"):
            for read, dim in panel_reads(loop):
                if users(read.results[0]):
                    prefetch(read, dim, self.distance)
