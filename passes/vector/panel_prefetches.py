"""Prefetches of the rows of a panel that a register tile reads later, and of the next panel.

A panel streams from the L2 cache, since all of a layer's weights do not fit the L1 cache. Where they do not
fit the L2 cache either, the next panel is brought there, line by line, while this one is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, scf, vector
from mlc.passes.common.affine import form_of
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import users
from mlc.passes.vector.cache_lines import L1, L2, bytes_per_element, elements_per_line, prefetch_lines
from mlc.passes.vector.index_offsets import offset_by
from mlc.passes.vector.tile_loops import Counter, counters, loop_variables

# Smaller operands stay in the L2 cache.
LARGE_BYTES = 1 << 20
# Iterations per row of the panel.
LONGEST_WAIT = 8


@dataclass(frozen=True)
class PanelRead:
    """A `vector.transfer_read` that advances along dim `row` of its buffer with the innermost loop."""

    op: ir.Operation
    row: int

    @property
    def buffer(self) -> ir.Value:
        """The buffer of the panels."""
        return vector.TransferRead(self.op).base

    def indices(self) -> list[ir.Value]:
        """Returns the indices of the vector's first element."""
        return vector.TransferRead(self.op).indices

    def end_of_body(self) -> ir.InsertionPoint:
        """Returns where prefetches belong. LLVM cannot make a load that one follows the memory operand of an
        instruction after it: elements that are broadcast would take registers."""
        return ir.InsertionPoint.at_block_terminator(self.op.block)

    def prefetch(self, indices: list[ir.Value], locality: int) -> None:
        """Prefetches a vector of the same length from `indices`."""
        length = ir.VectorType(vector.TransferRead(self.op).vector.type).shape[-1]
        prefetch_lines(self.buffer, indices, range(0, length, elements_per_line(self.buffer)), locality)


def prefetch_panels(loop: ir.Operation, distance: int) -> None:
    """Adds the prefetches to an innermost loop over a register tile: of the panels' rows that are read
    `distance` iterations later, and of the next panel of large weights."""
    reads = panel_reads(loop)
    for read in reads:
        indices = read.indices()
        with read.end_of_body(), read.op.location:
            indices[read.row] = offset_by(indices[read.row], distance)
            read.prefetch(indices, L1)
    for read in reads[:1]:
        sweep = sweep_over_panels(loop, read) if _is_large(read.buffer) else None
        if sweep is not None and sweep.is_short():
            _prefetch_next_panel(read, sweep)


def panel_reads(loop: ir.Operation) -> list[PanelRead]:
    """Returns the reads of panels in an innermost loop."""
    body = loop.regions[0].blocks[0]
    reads = []
    for read in [vector.TransferRead(op) for op in body if vector.TransferRead.isa(op)]:
        row = _advancing_dim(read, body.arguments[0]) if _reads_lines(read) and _is_shared(read) else None
        if row is not None:
            reads.append(PanelRead(read.operation, row))
    return reads


def _reads_lines(read: vector.TransferRead) -> bool:
    """Whether a vector of rank 1 or more is read from memory."""
    return isinstance(read.base.type, ir.MemRefType) and bool(ir.VectorType(read.vector.type).rank)


def _is_shared(read: vector.TransferRead) -> bool:
    """Whether several rows use the vector. A vector that one row alone multiplies is no panel's, as in a
    window along whose columns each row reads its own vectors."""
    uses = users(read.vector)
    return len(uses) > 1 or any(use.name not in (vector.FMA.NAME, arith.MulF.NAME) for use in uses)


def _advancing_dim(read: vector.TransferRead, variable: ir.Value) -> int | None:
    """Returns the dim, not the last one, along which each step of the loop's variable is one element."""
    for dim, index in enumerate(read.indices):
        if form_of(index).coefficient(variable) == 1:
            return dim if dim != len(read.indices) - 1 else None
    return None


@dataclass(frozen=True)
class PanelSweep:
    """A loop over `rows` of the result in which each iteration reads a full panel: `inner` counts its rows.
    `panel` is the dim of the read that counts the panels."""

    panel: int
    rows: Counter
    inner: Counter

    def is_short(self) -> bool:
        """Whether the rows of a panel are few iterations apart: in a long sweep, waiting for the first reads
        costs little, and prefetching the same line again and again costs more."""
        return self.rows.end <= LONGEST_WAIT * self.rows.step * self.inner.step

    def next_row(self) -> ir.Value:
        """Builds the row of the next panel that is due: all rows are, once this panel was read for all
        rows."""
        done = _times(self.rows.variable, self.inner.end)
        total = arith.addi(done, _times(self.inner.variable, self.rows.step))
        return arith.divui(total, index_constant(self.rows.end))


def _times(value: ir.Value, factor: int) -> ir.Value:
    return arith.muli(value, index_constant(factor))


def sweep_over_panels(loop: ir.Operation, read: PanelRead) -> PanelSweep | None:
    """Returns the sweep of which `loop` is the innermost loop, or None if the next panel is not known."""
    outer = loop.parent.operation
    if outer.name != scf.For.NAME:
        return None
    around, within = counters(outer), counters(loop)
    if not around or not within or around[0].begin or within[0].begin:
        return None
    indices = read.indices()
    panels = [dim for dim, index in enumerate(indices) if _counts_panels(index, outer)]
    if len(panels) != 1 or any(index == around[0].variable for index in indices):
        return None
    return PanelSweep(panels[0], around[0], within[0])


def _counts_panels(index: ir.Value, rows: ir.Operation) -> bool:
    """Whether the index advances by one with the innermost variable of the loop directly around `rows`."""
    variables = loop_variables(rows.parent.operation)
    return bool(variables) and form_of(index).coefficient(variables[0]) == 1


def _prefetch_next_panel(read: PanelRead, sweep: PanelSweep) -> None:
    """Spreads the next panel, which comes from the L3 cache or from memory, over all iterations."""
    indices = read.indices()
    with read.end_of_body(), read.op.location:
        indices[sweep.panel] = offset_by(indices[sweep.panel], 1)
        start = arith.subi(indices[read.row], sweep.inner.variable)
        indices[read.row] = arith.addi(start, sweep.next_row())
        read.prefetch(indices, L2)


def _is_large(buffer: ir.Value) -> bool:
    """Whether the buffer does not fit the L2 cache."""
    memref = ir.MemRefType(buffer.type)
    return memref.has_static_shape and prod(memref.shape) * bytes_per_element(buffer) > LARGE_BYTES
