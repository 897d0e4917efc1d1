"""tloop-prefetch-panels: register tiles ask in time for later vectors, and for the next panel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass, option
from mlc.passes.common.affine import form_of
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.common.rewriting import collect_ops, users
from mlc.passes.vector.index_offsets import offset_by

# Loops that carry fewer rows wait for memory anyway, or read what is in the first cache.
FEWEST_ROWS = 4
CACHE_LINE_BYTES = 64
# Smaller operands stay in the second cache.
LARGE_BYTES = 1 << 20
# Iterations per row of the panel.
LONGEST_WAIT = 8
# How near to the processor a prefetch brings a line, as `llvm.prefetch` counts.
FIRST_CACHE, SECOND_CACHE = 3, 2


def panel_reads(loop: ir.Operation) -> list[tuple[ir.Operation, int]]:
    """The reads of an innermost loop over a register tile that advance with it, and the dim along which."""
    body = loop.regions[0].blocks[0]
    if len(loop.results) < FEWEST_ROWS or any(each.operation.regions for each in body):
        return []
    found = []
    for each in body:
        op = each.operation
        if op.name == "vector.transfer_read" and _reads_lines(op):
            dim = _advancing_dim(op, body.arguments[0])
            if dim is not None:
                found.append((op, dim))
    return found


def _reads_lines(read: ir.Operation) -> bool:
    """Whether a vector of more than one number comes from memory."""
    return isinstance(read.operands[0].type, ir.MemRefType) and bool(read.results[0].type.rank)


def _advancing_dim(read: ir.Operation, induction_variable: ir.Value) -> int | None:
    """The dim along which each step of the loop's variable is one step."""
    indices = _indices(read)
    for dim, index in enumerate(indices):
        if form_of(index).coefficient(induction_variable) == 1:
            return dim if dim != len(indices) - 1 else None
    return None


def is_shared(read: ir.Operation) -> bool:
    """Whether several rows use the vector. What one row multiplies alone is no panel's, as in a window along
    whose columns each row reads its own vectors."""
    uses = users(read.results[0])
    return len(uses) > 1 or any(each.name not in ("vector.fma", "arith.mulf") for each in uses)


def prefetch(read: ir.Operation, dim: int, distance: int) -> None:
    """Prefetches what the read will read `distance` steps of `dim` later. Beyond the end of the buffer a
    prefetch does nothing."""
    indices = _indices(read)
    with ir.InsertionPoint(read), read.location:
        indices[dim] = offset_by(indices[dim], distance)
        _prefetch_lines(read, indices, FIRST_CACHE)


def _indices(read: ir.Operation) -> list[ir.Value]:
    return list(read.operands)[1 : 1 + ir.MemRefType(read.operands[0].type).rank]


def _prefetch_lines(read: ir.Operation, indices: list[ir.Value], locality: int) -> None:
    """Prefetches a vector like the read one from `indices`, a cache line at a time."""
    kind = ir.VectorType(read.results[0].type)
    per_line = max(1, CACHE_LINE_BYTES * 8 // kind.element_type.width)
    attributes = {
        "isWrite": ir.BoolAttr.get(False),
        "isDataCache": ir.BoolAttr.get(True),
        "localityHint": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), locality),
    }
    for element in range(0, kind.shape[-1], per_line):
        last = offset_by(indices[-1], element) if element else indices[-1]
        operands = [read.operands[0], *indices[:-1], last]
        ir.Operation.create("memref.prefetch", [], operands, attributes)


@dataclass(frozen=True)
class PanelSweep:
    """A loop over rows in which each iteration reads a whole panel, row by row of it.

    `panel` is the dim of the read that numbers the panels, `row` the one along a panel; `end` rows of the
    result are taken `step` at a time, `length` rows of the panel `step_inside` at a time.
    """

    panel: int
    row: int
    variable: ir.Value
    inner: ir.Value
    end: int
    step: int
    length: int

    step_inside: int

    def is_short(self) -> bool:
        """Whether the rows of a panel are few iterations apart: in a long sweep, waiting for the first reads
        costs little, and prefetching the same line again and again costs more."""
        return self.end <= LONGEST_WAIT * self.step * self.step_inside

    def next_row(self) -> ir.Value:
        """The row of the next panel that is due: all of it is, once this panel was read for all rows."""
        done = _times(self.variable, self.length)
        total = arith.addi(done, _times(self.inner, self.step))
        return arith.divui(total, index_constant(self.end))


def _times(value: ir.Value, factor: int) -> ir.Value:
    return arith.muli(value, index_constant(factor))


def sweep_over_panels(loop: ir.Operation, read: ir.Operation, row: int) -> PanelSweep | None:
    """The sweep of which `loop` is the innermost part; None where the next panel cannot be told."""
    rows = loop.parent.operation
    bounds, inner = _static_bounds(rows), _static_bounds(loop)
    if bounds is None or inner is None or bounds[0] or inner[0]:
        return None
    panels = [dim for dim, index in enumerate(_indices(read)) if _numbers_panels(index, rows)]
    variable, counter = (each.regions[0].blocks[0].arguments[0] for each in (rows, loop))
    if len(panels) != 1 or any(index == variable for index in _indices(read)):
        return None
    return PanelSweep(panels[0], row, variable, counter, bounds[1], bounds[2], inner[1], inner[2])


def _static_bounds(loop: ir.Operation) -> tuple[int, int, int] | None:
    """Begin, end and step of an `scf.for`, where all are numbers."""
    if loop.name != "scf.for":
        return None
    numbers = [constant_value(bound) for bound in list(loop.operands)[:3]]
    return None if None in numbers else (numbers[0] or 0, numbers[1] or 0, numbers[2] or 0)


def _numbers_panels(index: ir.Value, rows: ir.Operation) -> bool:
    """Whether the index counts with the last variable of the loop right around `rows`: a panel after the
    other."""
    around = rows.parent.operation
    if around.name not in ("scf.forall", "scf.for"):
        return False
    count = len(around.regions[0].blocks[0].arguments) - len(around.results)
    return form_of(index).coefficient(around.regions[0].blocks[0].arguments[count - 1]) == 1


def prefetch_next_panel(read: ir.Operation, sweep: PanelSweep) -> None:
    """Spreads the next panel over all iterations: it comes from the third cache or from memory."""
    indices = _indices(read)
    with ir.InsertionPoint(read), read.location:
        indices[sweep.panel] = offset_by(indices[sweep.panel], 1)
        start = arith.subi(indices[sweep.row], sweep.inner)
        indices[sweep.row] = arith.addi(start, sweep.next_row())
        _prefetch_lines(read, indices, SECOND_CACHE)


def is_large(value: ir.Value) -> bool:
    """Whether the buffer does not fit the second cache."""
    kind = ir.MemRefType(value.type)
    return kind.has_static_shape and prod(kind.shape) * kind.element_type.width // 8 > LARGE_BYTES


@dataclass(frozen=True)
class PrefetchPanels(Pass):
    """Prefetch the vectors that the innermost loop of a register tile reads next, and the next panel.

    A panel streams from the second cache, since all of a layer's weights do not fit the first one. Where they
    do not fit the second one either, the next panel is brought there, line by line, while this one is read.
    """

    name: ClassVar[str] = "tloop-prefetch-panels"
    anchor: ClassVar[str] = "func.func"

    distance: int = option(8, help="rows ahead; 0 prefetches nothing")

    def run(self, op: ir.Operation) -> None:
        if self.distance <= 0:
            return
        for loop in collect_ops(op, "scf.for"):
            self.serve(loop, [each for each in panel_reads(loop) if is_shared(each[0])])

    def serve(self, loop: ir.Operation, reads: list[tuple[ir.Operation, int]]) -> None:
        """Adds the prefetches to an innermost loop."""
        for read, dim in reads:
            prefetch(read, dim, self.distance)
        for read, dim in reads[:1]:
            sweep = sweep_over_panels(loop, read, dim) if is_large(read.operands[0]) else None
            if sweep is not None and sweep.is_short():
                prefetch_next_panel(read, sweep)
