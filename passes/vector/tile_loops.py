"""The loops around a register tile, and the offsets in buffers of the elements that it accesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlc.bindings import func, ir, memref, scf
from mlc.passes.common.affine import AffineForm, IndexForm, form_of
from mlc.passes.common.constants import constant_value
from mlc.passes.common.rewriting import defining_op

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
        """Trip count."""
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
    bound is dynamic."""
    if op.name == scf.Forall.NAME:
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        bounds = list(zip(*(list(op.attributes[name]) for name in names), strict=True))
    elif op.name == scf.For.NAME:
        bounds = [tuple(constant_value(operand) for operand in list(op.operands)[:3])]
    else:
        return []
    dynamic = (None, ir.ShapedType.get_dynamic_size())
    if any(bound in dynamic for triple in bounds for bound in triple):
        return None
    pairs = zip(loop_variables(op), bounds[::-1], strict=True)
    return [Counter(variable, begin, end, step) for variable, (begin, end, step) in pairs]


@dataclass(frozen=True)
class TileLoops:
    """`inner` is the innermost loop; `reductions` are the loops around it that carry the accumulators, too,
    and `tiles` those around these. Innermost first."""

    loop: ir.Operation
    inner: Counter
    reductions: Sequence[Counter]
    tiles: Sequence[Counter]

    def reads(self, name: str) -> Iterator[ir.Operation]:
        """The ops of the innermost loop called `name`."""
        for op in self.loop.regions[0].blocks[0]:
            if op.operation.name == name:
                yield op.operation


def tile_loops(loop: ir.Operation) -> TileLoops | None:
    """The loops around an innermost one, or None if a bound is dynamic."""
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
    view = defining_op(buffer, memref.SubView.NAME)
    if view is None:
        return BufferElement(buffer, offset)
    if any(stride != 1 for stride in view.attributes["static_strides"]):
        return None
    first = buffer_element(memref.SubView(view).source, _offsets(view))
    return None if first is None else BufferElement(first.buffer, first.offset + offset)


def _offsets(view: ir.Operation) -> list[ir.Value | int]:
    dynamic = iter(list(view.operands)[1:])
    offsets = view.attributes["static_offsets"]
    return [next(dynamic) if offset == ir.ShapedType.get_dynamic_size() else offset for offset in offsets]
