"""The loops around a register tile, and the offsets in buffers of the elements that it accesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.bindings import affine, func, ir, memref, scf
from mlc.passes.common.affine import AffineForm, IndexForm, form_of, largest_constant, smallest_constant
from mlc.passes.common.constants import constant_value

# Loops that carry fewer rows are bound by memory, or read what is in the L1 cache.
FEWEST_ROWS = 4


def is_tile_loop(loop: ir.Operation) -> bool:
    """Whether an `scf.for` is the innermost loop of a register tile: it carries the tile's rows."""
    return len(loop.results) >= FEWEST_ROWS and not any(
        op.operation.regions for op in loop.regions[0].blocks[0]
    )


@dataclass(frozen=True)
class Counter:
    """A variable that counts from `begin` to `end`, excluded, in steps of `step`."""

    variable: ir.Value
    begin: int
    end: int
    step: int

    @property
    def trips(self) -> int:
        """The trip count."""
        return max(0, -(-(self.end - self.begin) // self.step))

    @property
    def last(self) -> int:
        """The value in the last iteration."""
        return self.begin + (self.trips - 1) * self.step


def loop_variables(op: ir.Operation) -> list[ir.Value]:
    """Returns the variables of an `scf.for` or `scf.forall`, innermost first; none of other ops."""
    if op.name not in (scf.For.NAME, scf.Forall.NAME):
        return []
    arguments = op.regions[0].blocks[0].arguments
    return list(arguments)[: len(arguments) - len(op.results)][::-1]


def counters(op: ir.Operation) -> list[Counter] | None:
    """Returns the variables of a loop with their bounds, innermost first; none of other ops, and None if a
    bound is dynamic. Where windows leave out padding, bounds are those of all of the window."""
    if op.name == scf.Forall.NAME:
        forall = scf.Forall(op)
        columns = (forall.static_lower_bound, forall.static_upper_bound, forall.static_step)
        bounds: list[tuple[Any, ...]] = list(zip(*columns, strict=True))
    elif op.name == scf.For.NAME:
        loop = scf.For(op)
        bounds = [(_least(loop.lower_bound), _most(loop.upper_bound), constant_value(loop.step))]
    else:
        return []
    dynamic = (None, ir.ShapedType.get_dynamic_size())
    if any(bound in dynamic for triple in bounds for bound in triple):
        return None
    pairs = zip(loop_variables(op), bounds[::-1], strict=True)
    return [Counter(variable, begin, end, step) for variable, (begin, end, step) in pairs]


def _least(bound: ir.Value) -> int | None:
    """Returns a lower bound, or the constant that it is a maximum of: windows leave out padding."""
    maximum = affine.AffineMax.defining(bound)
    return constant_value(bound) if maximum is None else largest_constant(maximum.map)


def _most(bound: ir.Value) -> int | None:
    """Returns an upper bound, or the constant that it is a minimum of."""
    minimum = affine.AffineMin.defining(bound)
    return constant_value(bound) if minimum is None else smallest_constant(minimum.map)


@dataclass(frozen=True)
class TileLoops:
    """The loops of a register tile, innermost first: `inner` is the innermost one, `reductions` are those
    around it that carry the accumulators, too, and `tiles` those around these."""

    loop: ir.Operation
    inner: Counter
    reductions: Sequence[Counter]
    tiles: Sequence[Counter]

    def reads(self, name: str) -> Iterator[ir.Operation]:
        """Yields the ops called `name` of the innermost loop."""
        for op in self.loop.regions[0].blocks[0]:
            if op.operation.name == name:
                yield op.operation


def tile_loops(loop: ir.Operation) -> TileLoops | None:
    """Returns the loops around an innermost one, or None if a bound is dynamic."""
    inner = counters(loop)
    if inner is None:
        return None
    reductions: list[Counter] = []
    tiles: list[Counter] = []
    for op in _ops_around(loop):
        around = counters(op)
        if around is None:
            return None
        is_reduction = op.name == scf.For.NAME and len(op.results) == len(loop.results) and not tiles
        (reductions if is_reduction else tiles).extend(around)
    return TileLoops(loop, inner[0], reductions, tiles)


def _ops_around(loop: ir.Operation) -> Iterator[ir.Operation]:
    op = loop.parent
    while op is not None and op.name != func.Func.NAME:
        yield op.operation
        op = op.operation.parent


@dataclass(frozen=True)
class BufferElement:
    """The element of `buffer` at `offset` from the first one, in elements along the strides."""

    buffer: ir.Value
    offset: IndexForm


def buffer_element(buffer: ir.Value, indices: Sequence[ir.Value | int]) -> BufferElement | None:
    """Returns the element at `indices` of `buffer`, or of the buffer of which it is a view; None if an index
    is not affine in the loops' variables, or a stride is dynamic.

    Example: `%view[%c1, %c0]` with `%view = memref.subview %x[%i, 2]` and `%x : memref<8x16xf32>` is the
    element of `%x` at the offset `16 * %i + 18`.
    """
    strides, _ = ir.MemRefType(buffer.type).get_strides_and_offset()
    if any(stride == ir.ShapedType.get_dynamic_stride_or_offset() for stride in strides):
        return None
    offset: IndexForm = AffineForm()
    for index, stride in zip(indices, strides, strict=True):
        offset += (AffineForm(index) if isinstance(index, int) else form_of(index)) * stride
    if not all(term.is_variable and isinstance(term.variable.owner, ir.Block) for term in offset.terms):
        return None
    view = memref.SubView.defining(buffer)
    if view is None:
        return BufferElement(buffer, offset)
    if any(stride != 1 for stride in view.static_strides):
        return None
    first = buffer_element(view.source, _offsets(view))
    return None if first is None else BufferElement(first.buffer, first.offset + offset)


def _offsets(view: memref.SubView) -> list[ir.Value | int]:
    dynamic, unknown = iter(view.offsets), ir.ShapedType.get_dynamic_size()
    return [next(dynamic) if offset == unknown else offset for offset in view.static_offsets]
